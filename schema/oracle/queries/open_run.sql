-- Opens a run, with what its first call has spent already; it becomes the current one.
-- binds: run_id, agent_id, thread_id, kind, max_rounds number, rounds_used number, tool_reserve number, tokens_left number,
--   max_tool_result_tokens number, idle_seconds number
-- context: tenant_id, user_id
INSERT INTO mem_owner.context_run (tenant_id, run_id, user_id, agent_id, thread_id, kind, max_rounds, rounds_used,
  tool_reserve, tokens_left, max_tool_result_tokens, idle_seconds, created_at, last_call_at)
SELECT :tenant_id, :run_id, :user_id, :agent_id, :thread_id, :kind, :max_rounds, :rounds_used, :tool_reserve, :tokens_left,
  :max_tool_result_tokens, :idle_seconds, t.now, t.now
FROM (SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) AS now FROM DUAL) t
