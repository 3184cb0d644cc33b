-- Appends an event without a turn index.
-- binds: event_id, agent_id, thread_id, run_id, event_type, role, payload, token_cost, latency_ms, retention_class
insert into memory.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index, event_type,
  role, payload, token_cost, latency_ms, retention_class, created_at, written_by, trust)
values (memory.current_tenant(), $1, memory.context_user(), $2, $3, $4, null, $5, $6, $7::jsonb, $8::integer,
  $9::double precision, $10, clock_timestamp(), memory.context_user(), 'stated')
returning event_id, turn_index, created_at
