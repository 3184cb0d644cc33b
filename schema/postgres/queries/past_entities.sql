-- As of a snapshot. $1 snapshot, $2 refs, $3 user, $4 agent, $5 thread
select e.* from jsonb_to_recordset($2::jsonb) as r (id text, version integer)
join memory.entity_memory_as_of($1::pg_snapshot) e
  on e.tenant_id = memory.current_tenant() and e.id = r.id and e.version = r.version
where e.content is not null and (e.user_id is null or e.user_id = $3)
  and (e.agent_id is null or e.agent_id = $4) and (e.thread_id is null or e.thread_id = $5)
order by e.id
