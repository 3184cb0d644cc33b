-- The digest that a new one would replace; the thread is locked.
-- binds: agent_id, thread_id
-- context: tenant_id, user_id
SELECT s.id, CASE WHEN s.quarantined_at IS NULL THEN FALSE ELSE TRUE END AS is_quarantined
FROM mem_owner.summarization_memory s
WHERE s.tenant_id = :tenant_id AND s.user_id = :user_id AND s.thread_id = :thread_id
  AND (s.agent_id = :agent_id OR s.agent_id IS NULL AND :agent_id IS NULL)
  AND s.task_type = 'thread_digest' AND s.deleted_at IS NULL AND s.valid_until IS NULL
