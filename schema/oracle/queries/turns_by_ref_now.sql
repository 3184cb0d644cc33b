-- Turns by ref, of any thread, but only the caller's own; every_scope: of any owner and agent.
-- As the writing transaction sees it, rows of its own included, which a read AS OF does not.
-- binds: refs json, every_scope flag, agent_id
-- context: tenant_id, user_id
SELECT c.tenant_id, c.event_id, c.event_order, c.user_id, c.agent_id, c.thread_id, c.run_id, c.turn_index,
  c.event_type, c.role, c.payload, c.manifest_id, c.token_cost, c.latency_ms, c.retention_class,
  TO_CHAR(c.created_at) AS created_at, TO_CHAR(c.deleted_at) AS deleted_at, c.written_by, c.source_event_id, c.trust,
  TO_CHAR(c.quarantined_at) AS quarantined_at, c.quarantine_reason
FROM JSON_TABLE(:refs, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) r
JOIN mem_owner.conversation_memory c ON c.event_id = r.id AND r.version = 1
WHERE c.tenant_id = :tenant_id
  AND c.turn_index IS NOT NULL
  AND (:every_scope = 1 OR c.user_id = :user_id AND (c.agent_id IS NULL OR c.agent_id = :agent_id))
ORDER BY c.event_id
