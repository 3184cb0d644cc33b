-- Whether the schema was ever applied, as far as this role can read what was; asked before anything of it is read.
select coalesce(has_table_privilege(to_regclass('memory.schema_version'), 'SELECT'), false) as present
