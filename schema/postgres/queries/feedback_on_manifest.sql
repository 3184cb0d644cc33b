-- $1 manifest, $2 agent
select c.* from memory.conversation_memory c
where c.tenant_id = memory.current_tenant() and c.event_type = 'feedback'
  and c.user_id = memory.context_user() and c.manifest_id = $1
  and c.agent_id is not distinct from $2 and c.deleted_at is null
order by c.event_order desc
limit 500
