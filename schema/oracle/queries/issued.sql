-- The ref that was issued under an id in a run.
-- binds: run_id, citation_id, agent_id
-- context: tenant_id, user_id, scn
SELECT i.ref_type AS type, i.ref_id AS id, i.ref_version AS version
FROM mem_owner.issued_memory AS OF SCN :scn i
WHERE i.tenant_id = :tenant_id AND i.user_id = :user_id AND i.run_id = :run_id AND i.citation_id = :citation_id
  AND (i.agent_id = :agent_id OR i.agent_id IS NULL AND :agent_id IS NULL)
