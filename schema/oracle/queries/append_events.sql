-- Appends events without a turn index, in the order given. One by one: the order of events is the order of their numbers.
-- binds: agent_id, thread_id, events json
-- context: tenant_id, user_id
BEGIN
  FOR event IN (
    SELECT r.event_id, r.run_id, r.event_type, r.role, r.payload, r.token_cost, r.latency_ms, r.retention_class
    FROM JSON_TABLE(:events, '$[*]' COLUMNS (position FOR ORDINALITY, event_id VARCHAR2(128) PATH '$.event_id',
      run_id VARCHAR2(128) PATH '$.run_id', event_type VARCHAR2(32) PATH '$.event_type',
      role VARCHAR2(16) PATH '$.role', payload JSON PATH '$.payload', token_cost NUMBER PATH '$.token_cost',
      latency_ms NUMBER PATH '$.latency_ms', retention_class VARCHAR2(255) PATH '$.retention_class')) r
    ORDER BY r.position
  ) LOOP
    INSERT INTO mem_owner.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index,
        event_type, role, payload, token_cost, latency_ms, retention_class, created_at, written_by, trust)
      VALUES (:tenant_id, event.event_id, :user_id, :agent_id, :thread_id, event.run_id, NULL, event.event_type,
        event.role, event.payload, event.token_cost, event.latency_ms, event.retention_class,
        SYS_EXTRACT_UTC(SYSTIMESTAMP), :user_id, 'stated');
  END LOOP;
  SELECT JSON_ARRAYAGG(JSON_OBJECT('event_id' VALUE e.event_id, 'turn_index' VALUE e.turn_index,
    'created_at' VALUE TO_CHAR(e.created_at) RETURNING JSON) ORDER BY e.event_order RETURNING JSON) INTO :result
    FROM JSON_TABLE(:events, '$[*]' COLUMNS (event_id VARCHAR2(128) PATH '$.event_id')) r
    JOIN mem_owner.conversation_memory e ON e.tenant_id = :tenant_id AND e.event_id = r.event_id;
END;
