-- The ref that was issued under an id in a run.
-- binds: run_id, citation_id, agent_id
select i.ref_type as type, i.ref_id as id, i.ref_version as version from memory.issued_memory i
where i.tenant_id = memory.current_tenant() and i.run_id = $1 and i.citation_id = $2
  and i.agent_id is not distinct from $3
