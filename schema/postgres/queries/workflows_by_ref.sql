-- Workflows by ref; every_scope: of any agent.
-- binds: refs, every_scope, agent_id
select w.* from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
join memory.workflow_memory w
  on w.tenant_id = memory.current_tenant() and w.id = r.id and w.version = r.version
where $2::boolean or w.agent_id is null or w.agent_id = $3
order by w.id
