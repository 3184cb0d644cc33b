-- Everything that a search would find of these refs.
-- binds: refs
with refs as (
  select r.type, r.id, r.version from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
), vectors as (
  delete from memory.memory_vector v using refs r
  where v.tenant_id = memory.current_tenant() and v.part in ('text', 'context') and v.kind = r.type and v.id = r.id
    and v.version = r.version
), signs as (
  delete from memory.memory_sign v using refs r
  where v.tenant_id = memory.current_tenant() and v.part in ('text', 'context') and v.kind = r.type and v.id = r.id
    and v.version = r.version
), names as (
  delete from memory.memory_name n using refs r
  where n.tenant_id = memory.current_tenant() and n.kind = r.type and n.id = r.id and n.version = r.version
)
delete from memory.memory_term t using refs r
where t.tenant_id = memory.current_tenant() and t.kind = r.type and t.id = r.id and t.version = r.version
