-- Document collections that have a current document.
-- binds: agent_id, at_time
-- context: tenant_id, user_id, scn
SELECT DISTINCT d.collection
FROM mem_owner.knowledge_base_document AS OF SCN :scn d
WHERE d.tenant_id = :tenant_id AND (d.user_id IS NULL OR d.user_id = :user_id)
  AND (d.agent_id IS NULL OR d.agent_id = :agent_id) AND d.deleted_at IS NULL AND d.quarantined_at IS NULL
  AND d.valid_from <= TO_TIMESTAMP(:at_time)
  AND (d.valid_until IS NULL OR d.valid_until > TO_TIMESTAMP(:at_time))
ORDER BY d.collection
FETCH FIRST 200 ROWS ONLY
