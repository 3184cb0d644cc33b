-- The newest living turns up to the limit, with the deleted and quarantined ones among them.
-- $1 agent, $2 thread, $3 evaluation time, $4 limit
with own as (
  select c.* from memory.conversation_memory c
  where c.user_id = memory.context_user() and c.thread_id = $2 and c.agent_id is not distinct from $1
    and c.turn_index is not null and c.created_at <= $3::timestamptz
), newest as (
  select o.turn_index from own o
  where o.deleted_at is null and o.quarantined_at is null
  order by o.turn_index desc
  limit $4::integer
)
select o.* from own o
where o.turn_index >= (select coalesce(min(n.turn_index), 0) from newest n)
order by o.turn_index desc
limit $4::integer * 2
