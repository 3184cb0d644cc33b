-- The thread's row gives the index and stays locked until the transaction ends, so writers of one thread stand in
-- line.
-- binds: event_id, agent_id, thread_id, run_id, event_type, role, payload json, token_cost number, latency_ms
--   number, retention_class
-- context: tenant_id, user_id
DECLARE
  v_turn NUMBER;
  v_now TIMESTAMP(6);
BEGIN
  v_turn := mem_owner.turn_counter.take(:tenant_id, :user_id, :agent_id, :thread_id, 1);
  v_now := SYS_EXTRACT_UTC(SYSTIMESTAMP);
  INSERT INTO mem_owner.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index,
      event_type, role, payload, token_cost, latency_ms, retention_class, created_at, written_by, trust)
    VALUES (:tenant_id, :event_id, :user_id, :agent_id, :thread_id, :run_id, v_turn, :event_type, :role, :payload,
      :token_cost, :latency_ms, :retention_class, v_now, :user_id, 'stated');
  SELECT JSON_ARRAY(JSON_OBJECT('event_id' VALUE :event_id, 'turn_index' VALUE v_turn,
    'created_at' VALUE TO_CHAR(v_now) RETURNING JSON)
      RETURNING JSON) INTO :result
    FROM DUAL;
END;
