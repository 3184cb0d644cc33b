-- $1 rows as export_events gives them, in their order
insert into memory.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index,
  event_type, role, payload, token_cost, latency_ms, retention_class, created_at, deleted_at, written_by,
  source_event_id, trust, quarantined_at, quarantine_reason)
select memory.current_tenant(), r.event_id, r.user_id, r.agent_id, r.thread_id, r.run_id, r.turn_index, r.event_type,
  r.role, r.payload, r.token_cost, r.latency_ms, r.retention_class, r.created_at, r.deleted_at, r.written_by,
  r.source_event_id, r.trust, r.quarantined_at, r.quarantine_reason
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (event_id text, user_id text, agent_id text, thread_id text,
  run_id text, turn_index integer, event_type text, role text, payload jsonb, token_cost integer,
  latency_ms double precision, retention_class text, created_at timestamptz, deleted_at timestamptz,
  written_by text, source_event_id text, trust text, quarantined_at timestamptz, quarantine_reason text)
order by e.place
