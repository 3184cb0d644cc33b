-- Whether the schema was ever applied, as far as this login can see.
-- binds: none
SELECT CASE WHEN EXISTS (
    SELECT 1 FROM ALL_TABLES t WHERE t.owner = 'MEM_OWNER' AND t.table_name = 'SCHEMA_VERSION'
  ) THEN TRUE ELSE FALSE END AS present
FROM DUAL
