-- What was said of a window, newest first.
-- binds: manifest_id, agent_id
-- context: tenant_id, user_id, scn
SELECT c.tenant_id, c.event_id, c.event_order, c.user_id, c.agent_id, c.thread_id, c.run_id, c.turn_index,
  c.event_type, c.role, c.payload, c.manifest_id, c.token_cost, c.latency_ms, c.retention_class,
  TO_CHAR(c.created_at) AS created_at, TO_CHAR(c.deleted_at) AS deleted_at, c.written_by, c.source_event_id, c.trust,
  TO_CHAR(c.quarantined_at) AS quarantined_at, c.quarantine_reason
FROM mem_owner.conversation_memory AS OF SCN :scn c
WHERE c.tenant_id = :tenant_id AND c.user_id = :user_id AND c.event_type = 'feedback'
  AND c.manifest_id = :manifest_id
  AND (c.agent_id = :agent_id OR c.agent_id IS NULL AND :agent_id IS NULL) AND c.deleted_at IS NULL
ORDER BY c.event_order DESC
FETCH FIRST 500 ROWS ONLY
