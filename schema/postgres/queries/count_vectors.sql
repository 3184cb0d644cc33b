-- How many vectors of the embedder of these kinds the caller can see, counted up to a bound; and whose vectors the store
-- holds by now: a process that was started before the change must not find nothing.
-- binds: part, kinds, agent_id, thread_id, most, embedder
select count(*) as vectors,
  (select s.value from memory.store_setting s where s.name = 'embedder_id') as embedder_id,
  (select s.value::integer from memory.store_setting s where s.name = 'embedder_dimensions') as embedder_dimensions
from (
  select from memory.memory_sign v
  where v.embedder = $6 and v.part = $1 and v.kind = any ($2::text[])
    and (v.user_id = (select memory.context_user()) or v.user_id is null and v.kind <> 'conversation')
    and (v.agent_id is null or v.agent_id = $3)
    and (v.thread_id is null or v.thread_id = $4 or v.kind in ('conversation', 'summary') and v.user_id = (select memory.context_user()))
  limit $5::integer
) visible
