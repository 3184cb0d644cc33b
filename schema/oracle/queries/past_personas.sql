-- As of a recorded position.
-- binds: at_snapshot, user_id, agent_id, thread_id, at_time
-- context: tenant_id
SELECT p.tenant_id, p.id, p.user_id, p.agent_id, p.thread_id, p.persona_key, p.persona_value, p.confidence,
  TO_CHAR(p.valid_from) AS valid_from, TO_CHAR(p.valid_until) AS valid_until, TO_CHAR(p.created_at) AS created_at,
  TO_CHAR(p.deleted_at) AS deleted_at, p.written_by, p.source_event_id, p.trust,
  TO_CHAR(p.quarantined_at) AS quarantined_at, p.quarantine_reason
FROM mem_owner.persona_memory AS OF SCN TO_NUMBER(:at_snapshot) p
WHERE p.tenant_id = :tenant_id AND (p.user_id IS NULL OR p.user_id = :user_id)
  AND (p.agent_id IS NULL OR p.agent_id = :agent_id) AND (p.thread_id IS NULL OR p.thread_id = :thread_id)
  AND p.deleted_at IS NULL AND p.quarantined_at IS NULL AND p.valid_from <= TO_TIMESTAMP(:at_time)
  AND (p.valid_until IS NULL OR p.valid_until > TO_TIMESTAMP(:at_time))
ORDER BY p.id
FETCH FIRST 5000 ROWS ONLY
