-- $1 rows as export_personas gives them, in their order
insert into memory.persona_memory (tenant_id, id, user_id, agent_id, thread_id, persona_key, confidence,
  valid_from, valid_until, created_at, deleted_at, written_by, source_event_id, trust, quarantined_at,
  quarantine_reason, persona_value)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.thread_id, r.persona_key, r.confidence, r.valid_from,
  r.valid_until, r.created_at, r.deleted_at, r.written_by, r.source_event_id, r.trust, r.quarantined_at,
  r.quarantine_reason, e.line -> 'persona_value'
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, thread_id text,
  persona_key text, confidence double precision, valid_from timestamptz, valid_until timestamptz,
  created_at timestamptz, deleted_at timestamptz, written_by text, source_event_id text, trust text,
  quarantined_at timestamptz, quarantine_reason text)
order by e.place
