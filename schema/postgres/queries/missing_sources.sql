-- $1 refs; those that the caller cannot see any more
select r.type, r.id, r.version from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
where not exists (
  select from memory.known_version v
  where v.tenant_id = memory.current_tenant() and v.type = r.type and v.id = r.id and v.version = r.version)
