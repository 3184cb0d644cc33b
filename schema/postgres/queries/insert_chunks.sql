-- Chunks take scope and provenance from their document.
-- binds: new_chunks
insert into memory.knowledge_base_chunk (tenant_id, id, user_id, agent_id, document_id, chunk_index, content,
  content_hash, metadata, created_at, written_by, source_event_id, trust)
select d.tenant_id, r.id, d.user_id, d.agent_id, d.id, r.chunk_index, r.content, r.content_hash, r.metadata,
  d.created_at, d.written_by, d.source_event_id, d.trust
from jsonb_to_recordset($1::jsonb) as r (id text, document_id text, chunk_index integer, content text,
  content_hash text, metadata jsonb)
join memory.knowledge_base_document d on d.tenant_id = memory.current_tenant() and d.id = r.document_id
