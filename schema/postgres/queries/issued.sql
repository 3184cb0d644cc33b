-- $1 run, $2 citation id, $3 agent
select i.ref_type as type, i.ref_id as id, i.ref_version as version from memory.issued_memory i
where i.tenant_id = memory.current_tenant() and i.run_id = $1 and i.citation_id = $2
  and i.agent_id is not distinct from $3
