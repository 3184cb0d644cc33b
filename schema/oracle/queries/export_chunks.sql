-- The tenant's rows, each as the text of a JSON object, document by document.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT JSON_OBJECT('id' VALUE t.id, 'user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id,
  'document_id' VALUE t.document_id, 'chunk_index' VALUE t.chunk_index, 'content' VALUE t.content,
  'content_hash' VALUE t.content_hash, 'metadata' VALUE t.metadata, 'created_at' VALUE TO_CHAR(t.created_at),
  'deleted_at' VALUE TO_CHAR(t.deleted_at), 'written_by' VALUE t.written_by,
  'source_event_id' VALUE t.source_event_id, 'trust' VALUE t.trust, 'quarantined_at' VALUE TO_CHAR(t.quarantined_at),
  'quarantine_reason' VALUE t.quarantine_reason
  RETURNING CLOB) AS "ROW"
FROM mem_owner.knowledge_base_chunk AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
ORDER BY t.document_id, t.chunk_index
