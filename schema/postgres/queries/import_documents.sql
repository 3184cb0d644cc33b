-- $1 rows as export_documents gives them, in their order
insert into memory.knowledge_base_document (tenant_id, id, user_id, agent_id, collection, title, source_uri,
  source_type, content_hash, metadata, ingested_at, ingested_by, version, superseded_by, valid_from, valid_until,
  created_at, deleted_at, written_by, source_event_id, trust, quarantined_at, quarantine_reason)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.collection, r.title, r.source_uri, r.source_type,
  r.content_hash, r.metadata, r.ingested_at, r.ingested_by, r.version, r.superseded_by, r.valid_from, r.valid_until,
  r.created_at, r.deleted_at, r.written_by, r.source_event_id, r.trust, r.quarantined_at, r.quarantine_reason
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, collection text,
  title text, source_uri text, source_type text, content_hash text, metadata jsonb, ingested_at timestamptz,
  ingested_by text, version integer, superseded_by text, valid_from timestamptz, valid_until timestamptz,
  created_at timestamptz, deleted_at timestamptz, written_by text, source_event_id text, trust text,
  quarantined_at timestamptz, quarantine_reason text)
order by e.place
