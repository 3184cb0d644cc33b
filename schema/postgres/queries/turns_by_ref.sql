-- Turns by ref, of any thread, but only the caller's own; every_scope: of any owner and agent. Key by key.
-- binds: refs, every_scope, agent_id
select c.* from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
cross join lateral (
  select * from memory.conversation_memory k
  where k.tenant_id = memory.current_tenant() and k.event_id = r.id and r.version = 1 and k.turn_index is not null
    and ($2::boolean or k.user_id = memory.context_user() and (k.agent_id is null or k.agent_id = $3))
  offset 0
) c
order by c.event_id
