-- Recorded last: what stands here is whole.
-- binds: migration_number number, name
INSERT INTO mem_owner.schema_version (migration_number, name) VALUES (:migration_number, :name)
