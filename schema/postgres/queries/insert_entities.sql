-- New rows; those whose id exists stay as they are. Returns the ids of those that did not.
-- binds: new_rows
insert into memory.entity_memory (tenant_id, id, user_id, agent_id, thread_id, subject, predicate, content,
  content_hash, content_json, conditions_hash, confidence, version, superseded_by, valid_from, valid_until,
  created_at, written_by, source_event_id, trust)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.thread_id, r.subject, r.predicate, r.content,
  r.content_hash, r.content_json, r.conditions_hash, r.confidence, r.version, r.superseded_by,
  coalesce(r.valid_from, clock_timestamp()), r.valid_until, coalesce(r.created_at, clock_timestamp()), r.written_by,
  r.source_event_id, r.trust
from jsonb_to_recordset($1::jsonb) as r (id text, user_id text, agent_id text, thread_id text, subject text,
  predicate text, content text, content_hash text, content_json jsonb, conditions_hash text,
  confidence double precision, version integer, superseded_by text, valid_from timestamptz, valid_until timestamptz,
  created_at timestamptz, written_by text, source_event_id text, trust text)
on conflict (tenant_id, id) do nothing
returning id
