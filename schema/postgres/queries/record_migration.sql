-- binds: migration_number, name
insert into memory.schema_version (number, name) values ($1, $2)
