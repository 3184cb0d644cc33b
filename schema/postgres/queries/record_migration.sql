insert into memory.schema_version (number, name) values ($1, $2)
