-- As of a snapshot, of any thread. The ids stand beside the refs because only a condition of their own reaches the
-- tables below the union. $1 snapshot, $2 refs, $3 their ids, $4 user, $5 agent
select v.* from jsonb_to_recordset($2::jsonb) as r (type text, id text, version integer)
join memory.known_version_as_of($1::pg_snapshot) v
  on v.type = r.type and v.id = r.id and v.version = r.version
where v.tenant_id = memory.current_tenant() and v.id = any ($3::text[])
  and (v.user_id is null or v.user_id = $4) and (v.agent_id is null or v.agent_id = $5)
order by v.type, v.id, v.version
