-- How many vectors of these kinds the caller can see, counted up to a bound.
-- binds: part, kinds, agent_id, thread_id, most
select count(*) as vectors from (
  select from memory.memory_sign v
  where v.part = $1 and v.kind = any ($2::text[])
    and (v.user_id = memory.context_user() or v.user_id is null and v.kind <> 'conversation')
    and (v.agent_id is null or v.agent_id = $3)
    and (v.thread_id is null or v.thread_id = $4 or v.kind in ('conversation', 'summary') and v.user_id = memory.context_user())
  limit $5::integer
) visible
