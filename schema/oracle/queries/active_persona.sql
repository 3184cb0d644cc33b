-- The active row of a key, else its newest version; locked until the transaction ends.
-- binds: row_key json
-- context: tenant_id
SELECT m.tenant_id, m.id, m.user_id, m.agent_id, m.thread_id, m.persona_key, m.persona_value, m.confidence,
  TO_CHAR(m.valid_from) AS valid_from, TO_CHAR(m.valid_until) AS valid_until, TO_CHAR(m.created_at) AS created_at,
  TO_CHAR(m.deleted_at) AS deleted_at, m.written_by, m.source_event_id, m.trust,
  TO_CHAR(m.quarantined_at) AS quarantined_at, m.quarantine_reason,
  CASE WHEN m.deleted_at IS NULL AND (m.valid_until IS NULL OR m.valid_until > SYS_EXTRACT_UTC(SYSTIMESTAMP))
    THEN TRUE ELSE FALSE END AS active
FROM mem_owner.persona_memory m
WHERE m.tenant_id = :tenant_id AND m.id = (
  SELECT n.id FROM mem_owner.persona_memory n
  CROSS JOIN JSON_TABLE(:row_key, '$' COLUMNS (
    user_id VARCHAR2(255) PATH '$.user_id', agent_id VARCHAR2(255) PATH '$.agent_id',
    thread_id VARCHAR2(255) PATH '$.thread_id', persona_key VARCHAR2(500) PATH '$.persona_key')) k
  WHERE n.tenant_id = :tenant_id
    AND (n.user_id = k.user_id OR n.user_id IS NULL AND k.user_id IS NULL)
    AND (n.agent_id = k.agent_id OR n.agent_id IS NULL AND k.agent_id IS NULL)
    AND (n.thread_id = k.thread_id OR n.thread_id IS NULL AND k.thread_id IS NULL)
    AND n.persona_key = k.persona_key
  ORDER BY CASE WHEN n.deleted_at IS NULL AND (n.valid_until IS NULL
    OR n.valid_until > SYS_EXTRACT_UTC(SYSTIMESTAMP)) THEN 1 ELSE 0 END DESC,
    n.valid_from DESC, n.id DESC
  FETCH FIRST 1 ROW ONLY
)
FOR UPDATE
