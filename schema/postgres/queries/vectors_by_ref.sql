-- Vectors by ref as the database sends them, in hexadecimal digits; those that the caller cannot see are absent.
-- binds: part, embedder, refs
select r.type, r.id, r.version, encode(vector_send(v.vector), 'hex') as vector
from jsonb_to_recordset($3::jsonb) as r (type text, id text, version integer)
cross join lateral (
  select * from memory.memory_vector k
  where k.tenant_id = memory.current_tenant() and k.part = $1 and k.kind = r.type and k.id = r.id
    and k.version = r.version
  offset 0
) v
where v.embedder = $2 and v.vector is not null
