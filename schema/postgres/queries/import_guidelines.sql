-- $1 rows as export_guidelines gives them, in their order
insert into memory.guideline_memory (tenant_id, id, user_id, agent_id, thread_id, guideline_key, guideline_value,
  version, superseded_by, valid_from, valid_until, created_at, deleted_at, written_by, source_event_id, trust,
  quarantined_at, quarantine_reason)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.thread_id, r.guideline_key, e.line -> 'guideline_value',
  r.version, r.superseded_by, r.valid_from, r.valid_until, r.created_at, r.deleted_at, r.written_by,
  r.source_event_id, r.trust, r.quarantined_at, r.quarantine_reason
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, thread_id text,
  guideline_key text, version integer, superseded_by text, valid_from timestamptz, valid_until timestamptz,
  created_at timestamptz, deleted_at timestamptz, written_by text, source_event_id text, trust text,
  quarantined_at timestamptz, quarantine_reason text)
order by e.place
