-- Newest first. $1 citation id, $2 true for any agent, $3 agent
select i.tenant_id, i.user_id, i.agent_id, i.thread_id, i.ref_type as type, i.ref_id as id, i.ref_version as version
from memory.issued_memory i
where i.tenant_id = memory.current_tenant() and i.citation_id = $1
  and ($2::boolean or i.agent_id is not distinct from $3)
order by i.issued_at desc, i.run_id
limit 200
