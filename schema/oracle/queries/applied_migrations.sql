-- Numbers of the migrations that were applied.
-- binds: none
SELECT v.migration_number AS "NUMBER" FROM mem_owner.schema_version v ORDER BY v.migration_number
