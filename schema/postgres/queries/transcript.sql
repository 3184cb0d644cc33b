-- $1 run, $2 user, $3 agent
select c.event_id as id, c.event_type, c.manifest_id, c.payload from memory.conversation_memory c
where c.tenant_id = memory.current_tenant() and c.run_id = $1 and c.user_id = $2
  and c.agent_id is not distinct from $3 and c.deleted_at is null
  and c.event_type in ('context_manifest', 'request', 'tool_call', 'tool_result')
order by c.event_order
limit 2000
