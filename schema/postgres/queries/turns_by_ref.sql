-- Turns by ref, of any thread, but only the caller's own; every_scope: of any owner and agent.
-- binds: refs, every_scope, agent_id
select c.* from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
join memory.conversation_memory c on c.tenant_id = memory.current_tenant() and c.event_id = r.id and r.version = 1
where c.turn_index is not null
  and ($2::boolean or c.user_id = memory.context_user() and (c.agent_id is null or c.agent_id = $3))
order by c.event_id
