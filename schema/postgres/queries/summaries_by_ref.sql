-- $1 refs, $2 true for any agent, $3 agent; any thread
select s.* from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
join memory.summarization_memory s on s.tenant_id = memory.current_tenant() and s.id = r.id and r.version = 1
where $2::boolean or s.agent_id is null or s.agent_id = $3
order by s.id
