-- Tables of the owner without a policy that is switched on: there must be none. What indexes, models and archives keep
-- in tables of their own is not ours.
-- binds: none
SELECT t.table_name AS name
FROM ALL_TABLES t
WHERE t.owner = 'MEM_OWNER' AND NOT REGEXP_LIKE(t.table_name, '^(DR|DM|SYS_|VECTOR)[A-Z0-9_]*\$|^SYS_FBA_')
  AND NOT EXISTS (
    SELECT 1 FROM ALL_POLICIES p
    WHERE p.object_owner = t.owner AND p.object_name = t.table_name AND p.enable = 'YES')
ORDER BY t.table_name
