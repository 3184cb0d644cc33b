-- What a citation id stood for, newest first; anyone: of any agent, where an operator asks.
-- binds: citation_id, anyone flag, agent_id
-- context: tenant_id, user_id, scn
SELECT i.tenant_id, i.user_id, i.agent_id, i.thread_id, i.ref_type AS type, i.ref_id AS id, i.ref_version AS version
FROM mem_owner.issued_memory AS OF SCN :scn i
WHERE i.tenant_id = :tenant_id AND (i.user_id = :user_id OR :user_id IS NULL) AND i.citation_id = :citation_id
  AND (:anyone = 1 OR i.agent_id = :agent_id OR i.agent_id IS NULL AND :agent_id IS NULL)
ORDER BY i.issued_at DESC, i.run_id
FETCH FIRST 200 ROWS ONLY
