-- Vectors have length 1, so that the negative inner product is the negative cosine, at a third of the work.
-- binds: vector, part, kinds, collections, agent_id, thread_id, at_time, excluded, row_limit,
--   embedder
select near.type, near.id, near.version, -near.distance as cosine
from (
  select v.kind as type, v.id, v.version, v.vector <#> $1::vector as distance
  from memory.memory_vector v
  where v.embedder = $10 and v.vector is not null and v.part = $2 and v.kind = any ($3::text[])
    and ($4::text[] is null or v.kind <> 'chunk' or v.collection = any ($4::text[]))
    and (v.user_id = (select memory.context_user()) or v.user_id is null and v.kind <> 'conversation')
    and (v.agent_id is null or v.agent_id = $5)
    and (v.thread_id is null or v.thread_id = $6 or v.kind in ('conversation', 'summary') and v.user_id = (select memory.context_user()))
    and not v.quarantined and v.valid_from <= $7::timestamptz
    and (v.valid_until is null or v.valid_until > $7::timestamptz)
    and not exists (
      select from jsonb_to_recordset($8::jsonb) as x (type text, id text, version integer)
      where x.type = v.kind and x.id = v.id and x.version = v.version)
  order by distance, v.kind, v.id, v.version
  limit $9::integer
) near
order by near.distance, near.type, near.id, near.version
