-- Summaries by ref; every_scope: of any agent and thread. The caller's own are of any thread.
-- As the writing transaction sees it, rows of its own included, which a read AS OF does not.
-- binds: refs json, every_scope flag, agent_id, thread_id
-- context: tenant_id, user_id
SELECT s.tenant_id, s.id, s.user_id, s.agent_id, s.thread_id, s.task_type, s.title, s.summary, s.key_steps, s.outcome,
  s.artifacts, s.confidence, TO_CHAR(s.completed_at) AS completed_at, TO_CHAR(s.valid_from) AS valid_from,
  TO_CHAR(s.valid_until) AS valid_until, TO_CHAR(s.created_at) AS created_at, TO_CHAR(s.deleted_at) AS deleted_at,
  s.written_by, s.source_event_id, s.trust, TO_CHAR(s.quarantined_at) AS quarantined_at, s.quarantine_reason
FROM JSON_TABLE(:refs, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) r
JOIN mem_owner.summarization_memory s ON s.id = r.id AND r.version = 1
WHERE s.tenant_id = :tenant_id
  AND (:every_scope = 1 OR (s.agent_id IS NULL OR s.agent_id = :agent_id)
    AND (s.thread_id IS NULL OR s.thread_id = :thread_id OR s.user_id = :user_id))
ORDER BY s.id
