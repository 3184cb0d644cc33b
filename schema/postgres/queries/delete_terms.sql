-- What a search by words would find of these refs.
-- binds: refs
with refs as (
  select r.type, r.id, r.version from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
), names as (
  delete from memory.memory_name n using refs r
  where n.tenant_id = memory.current_tenant() and n.kind = r.type and n.id = r.id and n.version = r.version
)
delete from memory.memory_term t using refs r
where t.tenant_id = memory.current_tenant() and t.kind = r.type and t.id = r.id and t.version = r.version
