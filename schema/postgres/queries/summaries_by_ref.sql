-- Summaries by ref; every_scope: of any agent and thread. The caller's own are of any thread.
-- binds: refs, every_scope, agent_id, thread_id
select s.* from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
join memory.summarization_memory s on s.tenant_id = memory.current_tenant() and s.id = r.id and r.version = 1
where $2::boolean or (s.agent_id is null or s.agent_id = $3)
  and (s.thread_id is null or s.thread_id = $4 or s.user_id = memory.context_user())
order by s.id
