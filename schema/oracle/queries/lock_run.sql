-- The scope's latest run, locked; the thread's row is locked before.
-- binds: agent_id, thread_id
-- context: tenant_id, user_id
SELECT r.tenant_id, r.run_id, r.run_order, r.user_id, r.agent_id, r.thread_id, r.kind, r.max_rounds, r.rounds_used,
  r.tool_reserve, r.tokens_left, r.max_tool_result_tokens, r.idle_seconds, TO_CHAR(r.created_at) AS created_at,
  TO_CHAR(r.last_call_at) AS last_call_at, EXTRACT(DAY FROM (SYS_EXTRACT_UTC(SYSTIMESTAMP) - r.last_call_at)) * 86400
    + EXTRACT(HOUR FROM (SYS_EXTRACT_UTC(SYSTIMESTAMP) - r.last_call_at)) * 3600
    + EXTRACT(MINUTE FROM (SYS_EXTRACT_UTC(SYSTIMESTAMP) - r.last_call_at)) * 60
    + FLOOR(EXTRACT(SECOND FROM (SYS_EXTRACT_UTC(SYSTIMESTAMP) - r.last_call_at))) AS idle_for
FROM mem_owner.context_run r
WHERE r.tenant_id = :tenant_id AND r.run_id = (
  SELECT n.run_id FROM mem_owner.context_run n
  WHERE n.tenant_id = :tenant_id AND n.user_id = :user_id AND n.thread_id = :thread_id
    AND (n.agent_id = :agent_id OR n.agent_id IS NULL AND :agent_id IS NULL)
  ORDER BY n.run_order DESC
  FETCH FIRST 1 ROW ONLY
)
FOR UPDATE
