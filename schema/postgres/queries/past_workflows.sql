-- As of a snapshot. $1 snapshot, $2 refs, $3 user, $4 agent
select w.* from jsonb_to_recordset($2::jsonb) as r (id text, version integer)
join memory.workflow_memory_as_of($1::pg_snapshot) w
  on w.tenant_id = memory.current_tenant() and w.id = r.id and w.version = r.version
where (w.user_id is null or w.user_id = $3) and (w.agent_id is null or w.agent_id = $4)
order by w.id
