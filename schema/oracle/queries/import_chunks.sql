-- Rows as export_chunks gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.knowledge_base_chunk (tenant_id, id, user_id, agent_id, document_id, chunk_index, content,
  content_hash, metadata, created_at, deleted_at, written_by, source_event_id, trust, quarantined_at,
  quarantine_reason)
SELECT :tenant_id, r.id, r.user_id, r.agent_id, r.document_id, r.chunk_index, r.content, r.content_hash, r.metadata,
  TO_TIMESTAMP(r.created_at), TO_TIMESTAMP(r.deleted_at), r.written_by, r.source_event_id, r.trust,
  TO_TIMESTAMP(r.quarantined_at), r.quarantine_reason
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', document_id VARCHAR2(128) PATH '$.document_id',
  chunk_index NUMBER PATH '$.chunk_index', content CLOB PATH '$.content',
  content_hash VARCHAR2(64) PATH '$.content_hash', metadata JSON PATH '$.metadata',
  created_at VARCHAR2(27) PATH '$.created_at', deleted_at VARCHAR2(27) PATH '$.deleted_at',
  written_by VARCHAR2(255) PATH '$.written_by', source_event_id VARCHAR2(128) PATH '$.source_event_id',
  trust VARCHAR2(16) PATH '$.trust', quarantined_at VARCHAR2(27) PATH '$.quarantined_at',
  quarantine_reason VARCHAR2(4000) PATH '$.quarantine_reason')) r
