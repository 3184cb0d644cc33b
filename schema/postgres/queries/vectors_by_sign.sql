-- Nearest by sign bits first, then exact. nearest: how many by bits; the rest as vectors_exact.
-- binds: vector, part, kinds, collections, agent_id, thread_id, at_time, excluded, row_limit, embedder,
--   nearest
select v.kind as type, v.id, v.version, -(v.vector <#> $1::vector) as cosine
from (
  select v.kind, v.id, v.version from memory.memory_sign v
  where v.embedder = $10 and v.part = $2 and v.kind = any ($3::text[])
    and ($4::text[] is null or v.kind <> 'chunk' or v.collection = any ($4::text[]))
  and (v.user_id = (select memory.context_user()) or v.user_id is null and v.kind <> 'conversation')
  and (v.agent_id is null or v.agent_id = $5)
  and (v.thread_id is null or v.thread_id = $6 or v.kind in ('conversation', 'summary') and v.user_id = (select memory.context_user()))
  and not v.quarantined and v.valid_from <= $7::timestamptz
  and (v.valid_until is null or v.valid_until > $7::timestamptz)
  and ($8::jsonb = '[]' or not exists (
    select from jsonb_to_recordset($8::jsonb) as x (type text, id text, version integer)
    where x.type = v.kind and x.id = v.id and x.version = v.version))
  order by v.bits <~> binary_quantize($1::vector), v.kind, v.id, v.version
  limit $11::integer
) near
cross join lateral (
  select * from memory.memory_vector k
  where k.tenant_id = memory.current_tenant() and k.part = $2 and k.kind = near.kind and k.id = near.id
    and k.version = near.version and k.embedder = $10
  offset 0
) v
order by v.vector <#> $1::vector, v.kind, v.id, v.version
limit $9::integer
