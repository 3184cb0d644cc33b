-- As of a snapshot; the owner's own summaries are of any thread. $1 snapshot, $2 refs, $3 user, $4 agent, $5 thread
select s.* from jsonb_to_recordset($2::jsonb) as r (id text, version integer)
join memory.summarization_memory_as_of($1::pg_snapshot) s
  on s.tenant_id = memory.current_tenant() and s.id = r.id and r.version = 1
where (s.user_id is null or s.user_id = $3) and (s.agent_id is null or s.agent_id = $4)
  and (s.thread_id is null or s.thread_id = $5 or s.user_id = $3)
order by s.id
