-- Whether the schema was ever applied, as far as this role can read what was; asked before anything of it is read. It
-- reads the catalog as a table: a name that another process made a moment ago may be unknown to a mere lookup.
-- binds: none
select exists (
  select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'memory' and c.relname = 'schema_version' and has_table_privilege(c.oid, 'SELECT')
) as present
