-- New rows; those whose id exists stay as they are. Returns the ids of those that did not.
-- binds: new_rows
insert into memory.knowledge_base_document (tenant_id, id, user_id, agent_id, collection, title, source_uri,
  source_type, content_hash, metadata, ingested_at, ingested_by, version, superseded_by, valid_from, valid_until,
  created_at, written_by, source_event_id, trust)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.collection, r.title, r.source_uri, r.source_type,
  r.content_hash, r.metadata, clock_timestamp(), r.written_by, r.version, r.superseded_by,
  coalesce(r.valid_from, clock_timestamp()), r.valid_until, coalesce(r.created_at, clock_timestamp()), r.written_by,
  r.source_event_id, r.trust
from jsonb_to_recordset($1::jsonb) as r (id text, user_id text, agent_id text, collection text, title text,
  source_uri text, source_type text, content_hash text, metadata jsonb, version integer, superseded_by text,
  valid_from timestamptz, valid_until timestamptz, created_at timestamptz, written_by text, source_event_id text,
  trust text)
on conflict (tenant_id, id) do nothing
returning id
