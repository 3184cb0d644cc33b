-- As of a recorded position.
-- binds: at_snapshot, refs json, user_id, agent_id
-- context: tenant_id
SELECT w.tenant_id, w.id, w.user_id, w.agent_id, w.workflow_name, w.description, w.steps, w.preconditions,
  w.expected_outcome, w.success_count, w.failure_count, w.confidence, w.version, w.superseded_by,
  TO_CHAR(w.valid_from) AS valid_from, TO_CHAR(w.valid_until) AS valid_until, TO_CHAR(w.created_at) AS created_at,
  TO_CHAR(w.deleted_at) AS deleted_at, w.written_by, w.source_event_id, w.trust,
  TO_CHAR(w.quarantined_at) AS quarantined_at, w.quarantine_reason
FROM JSON_TABLE(:refs, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) r
JOIN mem_owner.workflow_memory AS OF SCN TO_NUMBER(:at_snapshot) w ON w.id = r.id AND w.version = r.version
WHERE w.tenant_id = :tenant_id AND (w.user_id IS NULL OR w.user_id = :user_id)
  AND (w.agent_id IS NULL OR w.agent_id = :agent_id)
ORDER BY w.id
