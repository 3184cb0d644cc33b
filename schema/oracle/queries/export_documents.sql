-- The tenant's rows, each as the text of a JSON object, in the order of their keys.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT JSON_OBJECT('id' VALUE t.id, 'user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id,
  'collection' VALUE t.collection,
  'title' VALUE t.title, 'source_uri' VALUE t.source_uri, 'source_type' VALUE t.source_type,
  'content_hash' VALUE t.content_hash, 'metadata' VALUE t.metadata, 'ingested_at' VALUE TO_CHAR(t.ingested_at),
  'ingested_by' VALUE t.ingested_by, 'version' VALUE t.version, 'superseded_by' VALUE t.superseded_by,
  'valid_from' VALUE TO_CHAR(t.valid_from), 'valid_until' VALUE TO_CHAR(t.valid_until),
  'created_at' VALUE TO_CHAR(t.created_at), 'deleted_at' VALUE TO_CHAR(t.deleted_at), 'written_by' VALUE t.written_by,
  'source_event_id' VALUE t.source_event_id, 'trust' VALUE t.trust, 'quarantined_at' VALUE TO_CHAR(t.quarantined_at),
  'quarantine_reason' VALUE t.quarantine_reason
  RETURNING CLOB) AS "ROW"
FROM mem_owner.knowledge_base_document AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
ORDER BY t.id
