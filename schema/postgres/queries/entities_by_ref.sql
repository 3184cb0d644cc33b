-- Entities by ref; every_scope: of any agent and thread.
-- binds: refs, every_scope, agent_id, thread_id
select e.* from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
join memory.entity_memory e
  on e.tenant_id = memory.current_tenant() and e.id = r.id and e.version = r.version
where e.content is not null
  and ($2::boolean or (e.agent_id is null or e.agent_id = $3) and (e.thread_id is null or e.thread_id = $4))
order by e.id
