-- Appends events without a turn index, in the order given.
-- binds: agent_id, thread_id, events
insert into memory.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index, event_type,
  role, payload, token_cost, latency_ms, retention_class, created_at, written_by, trust)
select memory.current_tenant(), e.event_id, memory.context_user(), $1, $2, e.run_id, null, e.event_type, e.role, e.payload,
  e.token_cost, e.latency_ms, e.retention_class, clock_timestamp(), memory.context_user(), 'stated'
from rows from (jsonb_to_recordset($3::jsonb) as (event_id text, run_id text, event_type text, role text, payload jsonb,
  token_cost integer, latency_ms double precision, retention_class text)) with ordinality as e
order by e.ordinality
returning event_id, turn_index, created_at
