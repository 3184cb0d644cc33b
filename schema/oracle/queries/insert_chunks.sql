-- Chunks take scope and provenance from their document.
-- binds: new_chunks json
-- context: tenant_id
INSERT INTO mem_owner.knowledge_base_chunk (tenant_id, id, user_id, agent_id, document_id, chunk_index, content,
  content_hash, metadata, created_at, written_by, source_event_id, trust)
SELECT d.tenant_id, r.id, d.user_id, d.agent_id, d.id, r.chunk_index, r.content, r.content_hash, r.metadata,
  d.created_at, d.written_by, d.source_event_id, d.trust
FROM JSON_TABLE(:new_chunks, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id',
  document_id VARCHAR2(128) PATH '$.document_id', chunk_index NUMBER PATH '$.chunk_index',
  content CLOB PATH '$.content', content_hash VARCHAR2(64) PATH '$.content_hash', metadata JSON PATH '$.metadata')) r
JOIN mem_owner.knowledge_base_document d ON d.id = r.document_id
WHERE d.tenant_id = :tenant_id
