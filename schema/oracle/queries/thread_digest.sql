-- The digest of a thread that holds at a time; at_time null: now.
-- binds: agent_id, thread_id, at_time
-- context: tenant_id, user_id, scn
SELECT s.tenant_id, s.id, s.user_id, s.agent_id, s.thread_id, s.task_type, s.title, s.summary, s.key_steps, s.outcome,
  s.artifacts, s.confidence, TO_CHAR(s.completed_at) AS completed_at, TO_CHAR(s.valid_from) AS valid_from,
  TO_CHAR(s.valid_until) AS valid_until, TO_CHAR(s.created_at) AS created_at, TO_CHAR(s.deleted_at) AS deleted_at,
  s.written_by, s.source_event_id, s.trust, TO_CHAR(s.quarantined_at) AS quarantined_at, s.quarantine_reason
FROM mem_owner.summarization_memory AS OF SCN :scn s
WHERE s.tenant_id = :tenant_id AND s.user_id = :user_id AND s.thread_id = :thread_id
  AND (s.agent_id = :agent_id OR s.agent_id IS NULL AND :agent_id IS NULL)
  AND s.task_type = 'thread_digest' AND s.deleted_at IS NULL AND s.quarantined_at IS NULL
  AND s.valid_from <= COALESCE(TO_TIMESTAMP(:at_time), SYS_EXTRACT_UTC(SYSTIMESTAMP))
  AND (s.valid_until IS NULL OR s.valid_until > COALESCE(TO_TIMESTAMP(:at_time), SYS_EXTRACT_UTC(SYSTIMESTAMP)))
ORDER BY s.valid_from DESC, s.id
FETCH FIRST 1 ROW ONLY
