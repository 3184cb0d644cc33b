-- Rows current at the evaluation time.
-- binds: agent_id, at_time
-- context: tenant_id, user_id, scn
SELECT t.tenant_id, t.id, t.user_id, t.agent_id, t.tool_name, t.tool_schema, t.tool_handler, t.access_policy,
  t.usage_notes, t.version, t.superseded_by, TO_CHAR(t.valid_from) AS valid_from,
  TO_CHAR(t.valid_until) AS valid_until, TO_CHAR(t.created_at) AS created_at, TO_CHAR(t.deleted_at) AS deleted_at,
  t.written_by, t.source_event_id, t.trust, TO_CHAR(t.quarantined_at) AS quarantined_at, t.quarantine_reason
FROM mem_owner.toolbox_memory AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND (t.user_id IS NULL OR t.user_id = :user_id)
  AND (t.agent_id IS NULL OR t.agent_id = :agent_id)
  AND t.deleted_at IS NULL AND t.quarantined_at IS NULL AND t.valid_from <= TO_TIMESTAMP(:at_time)
  AND (t.valid_until IS NULL OR t.valid_until > TO_TIMESTAMP(:at_time))
ORDER BY t.id
FETCH FIRST 5000 ROWS ONLY
