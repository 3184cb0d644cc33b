-- $1 rows as export_chunks gives them, in their order
insert into memory.knowledge_base_chunk (tenant_id, id, user_id, agent_id, document_id, chunk_index, content,
  content_hash, metadata, created_at, deleted_at, written_by, source_event_id, trust, quarantined_at,
  quarantine_reason)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.document_id, r.chunk_index, r.content, r.content_hash,
  r.metadata, r.created_at, r.deleted_at, r.written_by, r.source_event_id, r.trust, r.quarantined_at,
  r.quarantine_reason
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, document_id text,
  chunk_index integer, content text, content_hash text, metadata jsonb, created_at timestamptz,
  deleted_at timestamptz, written_by text, source_event_id text, trust text, quarantined_at timestamptz,
  quarantine_reason text)
order by e.place
