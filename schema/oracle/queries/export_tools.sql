-- The tenant's rows, each as the text of a JSON object, in the order of their keys.
-- An empty text is NULL here, and a text there.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT SUBSTR(o.fields, 1, LENGTH(o.fields) - 1) || CASE WHEN o.is_empty = 1 THEN TO_CLOB(',"usage_notes":""')
    ELSE TO_CLOB(',"usage_notes":') || SUBSTR(o.text, 2, LENGTH(o.text) - 2) END || '}' AS "ROW"
FROM (
  SELECT t.id, JSON_OBJECT('id' VALUE t.id, 'user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id,
    'tool_name' VALUE t.tool_name, 'tool_schema' VALUE t.tool_schema, 'tool_handler' VALUE t.tool_handler,
    'access_policy' VALUE t.access_policy, 'version' VALUE t.version, 'superseded_by' VALUE t.superseded_by,
    'valid_from' VALUE TO_CHAR(t.valid_from), 'valid_until' VALUE TO_CHAR(t.valid_until),
    'created_at' VALUE TO_CHAR(t.created_at), 'deleted_at' VALUE TO_CHAR(t.deleted_at),
    'written_by' VALUE t.written_by, 'source_event_id' VALUE t.source_event_id, 'trust' VALUE t.trust,
    'quarantined_at' VALUE TO_CHAR(t.quarantined_at), 'quarantine_reason' VALUE t.quarantine_reason
    RETURNING CLOB) AS fields,
    CASE WHEN t.usage_notes IS NULL THEN 1 ELSE 0 END AS is_empty, JSON_ARRAY(t.usage_notes RETURNING CLOB) AS text
  FROM mem_owner.toolbox_memory AS OF SCN :scn t
  WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
) o
ORDER BY o.id
