-- Of any thread. $1 refs, $2 true for any agent, $3 agent
select v.* from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
join memory.known_version v
  on v.tenant_id = memory.current_tenant() and v.type = r.type and v.id = r.id and v.version = r.version
where $2::boolean or v.agent_id is null or v.agent_id = $3
order by v.type, v.id, v.version
