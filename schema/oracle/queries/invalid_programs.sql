-- Packages, functions, triggers and views of the two owners that do not compile: there must be none.
-- binds: none
SELECT DISTINCT o.owner || '.' || o.object_name AS name
FROM ALL_OBJECTS o
WHERE o.owner IN ('MEM_OWNER', 'MEM_SEC') AND o.status = 'INVALID'
ORDER BY o.owner || '.' || o.object_name
