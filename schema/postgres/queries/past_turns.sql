-- As of a snapshot; any thread, but only the owner's own turns. $1 snapshot, $2 refs, $3 user, $4 agent
select c.* from jsonb_to_recordset($2::jsonb) as r (id text, version integer)
join memory.conversation_memory_as_of($1::pg_snapshot) c
  on c.tenant_id = memory.current_tenant() and c.event_id = r.id and r.version = 1
where c.turn_index is not null and c.user_id = $3 and (c.agent_id is null or c.agent_id = $4)
order by c.event_id
