-- The vectors of these refs by one embedder.
-- binds: refs, embedder
with refs as (
  select r.type, r.id, r.version from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
), signs as (
  delete from memory.memory_sign v using refs r
  where v.tenant_id = memory.current_tenant() and v.part in ('text', 'context') and v.kind = r.type and v.id = r.id
    and v.version = r.version and v.embedder = $2
)
delete from memory.memory_vector v using refs r
where v.tenant_id = memory.current_tenant() and v.part in ('text', 'context') and v.kind = r.type and v.id = r.id
  and v.version = r.version and v.embedder = $2
