-- Newest first; anyone: of any agent, where an operator asks; since may be null.
-- binds: anyone flag, agent_id, since, row_limit number
-- context: tenant_id, user_id, scn
SELECT m.event_id AS id
FROM mem_owner.conversation_memory AS OF SCN :scn m
WHERE m.tenant_id = :tenant_id AND (m.user_id = :user_id OR :user_id IS NULL)
  AND m.event_type = 'context_manifest' AND m.deleted_at IS NULL
  AND (:anyone = 1 OR m.agent_id = :agent_id OR m.agent_id IS NULL AND :agent_id IS NULL)
  AND (:since IS NULL OR m.created_at >= TO_TIMESTAMP(:since))
ORDER BY m.event_order DESC
FETCH FIRST :row_limit ROWS ONLY
