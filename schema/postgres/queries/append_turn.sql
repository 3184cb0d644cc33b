-- The thread's row gives the index and stays locked until the transaction ends, so writers of one thread stand in
-- line.
-- binds: event_id, agent_id, thread_id, run_id, event_type, role, payload, token_cost, latency_ms, retention_class
with turn as (
  insert into memory.thread (tenant_id, user_id, agent_id, thread_id, next_turn_index, created_at)
  values (memory.current_tenant(), memory.context_user(), $2, $3, 2, clock_timestamp())
  on conflict (tenant_id, user_id, agent_key, thread_id) do update set next_turn_index = thread.next_turn_index + 1
  returning next_turn_index - 1 as turn_index
)
insert into memory.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index, event_type,
  role, payload, token_cost, latency_ms, retention_class, created_at, written_by, trust)
select memory.current_tenant(), $1, memory.context_user(), $2, $3, $4, turn.turn_index, $5, $6, $7::jsonb, $8::integer,
  $9::double precision, $10, clock_timestamp(), memory.context_user(), 'stated'
from turn
returning event_id, turn_index, created_at
