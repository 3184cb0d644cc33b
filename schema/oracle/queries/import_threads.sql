-- Rows as export_threads gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.thread (tenant_id, user_id, agent_id, thread_id, next_turn_index, created_at)
SELECT :tenant_id, r.user_id, r.agent_id, r.thread_id, r.next_turn_index, TO_TIMESTAMP(r.created_at)
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
  next_turn_index NUMBER PATH '$.next_turn_index', created_at VARCHAR2(27) PATH '$.created_at')) r
