-- A principal's events of these types in a thread, newest first.
-- binds: event_types, agent_id, thread_id, row_limit
select c.* from memory.conversation_memory c
where c.tenant_id = memory.current_tenant() and c.user_id = memory.context_user()
  and c.agent_id is not distinct from $2 and c.thread_id = $3
  and c.event_type = any ($1::text[]) and c.deleted_at is null
order by c.event_order desc
limit least($4::integer, 1000)
