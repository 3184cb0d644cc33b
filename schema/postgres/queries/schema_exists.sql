-- Whether the schema was ever applied; asked before anything of it can be read.
select to_regclass('memory.schema_version') is not null as present
