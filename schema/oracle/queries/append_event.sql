-- Appends an event without a turn index.
-- binds: event_id, agent_id, thread_id, run_id, event_type, role, payload json, token_cost number, latency_ms
--   number, retention_class
-- context: tenant_id, user_id
DECLARE
  v_now TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
BEGIN
  INSERT INTO mem_owner.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index,
      event_type, role, payload, token_cost, latency_ms, retention_class, created_at, written_by, trust)
    VALUES (:tenant_id, :event_id, :user_id, :agent_id, :thread_id, :run_id, NULL, :event_type, :role, :payload,
      :token_cost, :latency_ms, :retention_class, v_now, :user_id, 'stated');
  SELECT JSON_ARRAY(JSON_OBJECT('event_id' VALUE :event_id, 'turn_index' VALUE NULL,
    'created_at' VALUE TO_CHAR(v_now) RETURNING JSON)
      RETURNING JSON) INTO :result
    FROM DUAL;
END;
