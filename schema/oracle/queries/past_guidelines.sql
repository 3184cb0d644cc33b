-- As of a recorded position.
-- binds: at_snapshot, user_id, agent_id, thread_id, at_time
-- context: tenant_id
SELECT g.tenant_id, g.id, g.user_id, g.agent_id, g.thread_id, g.guideline_key, g.guideline_value, g.version,
  g.superseded_by, TO_CHAR(g.valid_from) AS valid_from, TO_CHAR(g.valid_until) AS valid_until,
  TO_CHAR(g.created_at) AS created_at, TO_CHAR(g.deleted_at) AS deleted_at, g.written_by, g.source_event_id, g.trust,
  TO_CHAR(g.quarantined_at) AS quarantined_at, g.quarantine_reason
FROM mem_owner.guideline_memory AS OF SCN TO_NUMBER(:at_snapshot) g
WHERE g.tenant_id = :tenant_id AND (g.user_id IS NULL OR g.user_id = :user_id)
  AND (g.agent_id IS NULL OR g.agent_id = :agent_id) AND (g.thread_id IS NULL OR g.thread_id = :thread_id)
  AND g.deleted_at IS NULL AND g.quarantined_at IS NULL AND g.valid_from <= TO_TIMESTAMP(:at_time)
  AND (g.valid_until IS NULL OR g.valid_until > TO_TIMESTAMP(:at_time))
ORDER BY g.id
FETCH FIRST 5000 ROWS ONLY
