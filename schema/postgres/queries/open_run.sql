-- Opens a run, with what its first call has spent already; it becomes the current one.
-- binds: run_id, agent_id, thread_id, kind, max_rounds, rounds_used, tool_reserve, tokens_left, max_tool_result_tokens,
--   idle_seconds
insert into memory.context_run (tenant_id, run_id, user_id, agent_id, thread_id, kind, max_rounds, rounds_used,
  tool_reserve, tokens_left, max_tool_result_tokens, idle_seconds, created_at, last_call_at)
select memory.current_tenant(), $1, memory.context_user(), $2, $3, $4, $5::integer, $6::integer, $7::integer, $8::integer,
  $9::integer, $10::integer, now.now, now.now
from (select clock_timestamp() as now) now
