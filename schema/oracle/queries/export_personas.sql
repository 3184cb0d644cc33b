-- The tenant's rows, each as the text of a JSON object, in the order of their keys.
-- An erased value is missing; a JSON null is a value.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT SUBSTR(o.fields, 1, LENGTH(o.fields) - 1) || CASE WHEN o.value IS NOT NULL
    THEN TO_CLOB(',"persona_value":') || o.value END || '}' AS "ROW"
FROM (
  SELECT t.id, JSON_OBJECT('id' VALUE t.id, 'user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id,
    'thread_id' VALUE t.thread_id, 'persona_key' VALUE t.persona_key, 'confidence' VALUE t.confidence,
    'valid_from' VALUE TO_CHAR(t.valid_from), 'valid_until' VALUE TO_CHAR(t.valid_until),
    'created_at' VALUE TO_CHAR(t.created_at), 'deleted_at' VALUE TO_CHAR(t.deleted_at),
    'written_by' VALUE t.written_by, 'source_event_id' VALUE t.source_event_id, 'trust' VALUE t.trust,
    'quarantined_at' VALUE TO_CHAR(t.quarantined_at), 'quarantine_reason' VALUE t.quarantine_reason
    RETURNING CLOB) AS fields,
    JSON_SERIALIZE(t.persona_value RETURNING CLOB) AS value
  FROM mem_owner.persona_memory AS OF SCN :scn t
  WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
) o
ORDER BY o.id
