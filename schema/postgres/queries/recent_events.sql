-- $1 types, $2 agent, $3 thread, $4 limit
select c.* from memory.conversation_memory c
where c.tenant_id = memory.current_tenant() and c.user_id = memory.context_user()
  and c.agent_id is not distinct from $2 and c.thread_id = $3
  and c.event_type = any ($1::text[]) and c.deleted_at is null
order by c.event_order desc
limit least($4::integer, 1000)
