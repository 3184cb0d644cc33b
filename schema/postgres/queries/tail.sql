-- The newest living turns up to the limit, with the deleted and quarantined ones among them.
-- binds: agent_id, thread_id, at_time, row_limit
select c.* from memory.conversation_memory c
where c.tenant_id = memory.current_tenant() and c.user_id = memory.context_user() and c.thread_id = $2
  and c.agent_id is not distinct from $1 and c.turn_index is not null and c.created_at <= $3::timestamptz
  and c.turn_index >= (
    select coalesce(min(n.turn_index), 0) from (
      select o.turn_index from memory.conversation_memory o
      where o.tenant_id = memory.current_tenant() and o.user_id = memory.context_user() and o.thread_id = $2
        and o.agent_id is not distinct from $1 and o.turn_index is not null and o.created_at <= $3::timestamptz
        and o.deleted_at is null and o.quarantined_at is null
      order by o.turn_index desc
      limit $4::integer
    ) n
  )
order by c.turn_index desc
limit $4::integer * 2
