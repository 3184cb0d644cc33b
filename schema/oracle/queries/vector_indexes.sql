-- Approximate indexes of the vectors that can be used: none where nobody built one.
-- binds: none
SELECT i.index_name AS name
FROM ALL_INDEXES i
WHERE i.table_owner = 'MEM_OWNER' AND i.table_name = 'MEMORY_VECTOR' AND i.index_type = 'VECTOR' AND i.status = 'VALID'
ORDER BY i.index_name
