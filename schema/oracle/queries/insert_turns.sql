-- Turns with their position in the batch. New ones get the next indexes of their threads, in that order.
-- binds: new_turns json
-- context: tenant_id
DECLARE
  TYPE next_indexes IS TABLE OF NUMBER INDEX BY VARCHAR2(800);
  v_next next_indexes;
  v_thread VARCHAR2(800);
BEGIN
  SELECT JSON_ARRAYAGG(JSON_OBJECT('id' VALUE r.id RETURNING JSON) ORDER BY r.position RETURNING JSON) INTO :result
    FROM JSON_TABLE(:new_turns, '$[*]'
      COLUMNS (id VARCHAR2(128) PATH '$.id', position NUMBER PATH '$.position')) r
    WHERE NOT EXISTS (
      SELECT 1 FROM mem_owner.conversation_memory e WHERE e.tenant_id = :tenant_id AND e.event_id = r.id);
  -- Threads are locked in one order, always: two imports cannot wait for each other.
  FOR thread IN (
    SELECT r.user_id, r.agent_id, r.thread_id, COUNT(*) AS turns
    FROM JSON_TABLE(:new_turns, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
      agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id')) r
    WHERE NOT EXISTS (
      SELECT 1 FROM mem_owner.conversation_memory e WHERE e.tenant_id = :tenant_id AND e.event_id = r.id)
    GROUP BY r.user_id, r.agent_id, r.thread_id
    ORDER BY r.user_id, r.agent_id NULLS FIRST, r.thread_id
  ) LOOP
    v_thread := thread.user_id || CHR(1) || thread.agent_id || CHR(1) || thread.thread_id;
    v_next(v_thread) := mem_owner.turn_counter.take(:tenant_id, thread.user_id, thread.agent_id, thread.thread_id,
      thread.turns);
  END LOOP;
  FOR turn IN (
    SELECT r.id, r.user_id, r.agent_id, r.thread_id, r.run_id, r.event_type, r.role, r.payload, r.created_at,
      r.written_by, r.source_event_id, r.trust
    FROM JSON_TABLE(:new_turns, '$[*]' COLUMNS (
      position NUMBER PATH '$.position', id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
      agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
      run_id VARCHAR2(128) PATH '$.run_id', event_type VARCHAR2(32) PATH '$.event_type',
      role VARCHAR2(16) PATH '$.role', payload JSON PATH '$.payload',
      created_at VARCHAR2(27) PATH '$.created_at', written_by VARCHAR2(255) PATH '$.written_by',
      source_event_id VARCHAR2(128) PATH '$.source_event_id', trust VARCHAR2(16) PATH '$.trust')) r
    WHERE NOT EXISTS (
      SELECT 1 FROM mem_owner.conversation_memory e WHERE e.tenant_id = :tenant_id AND e.event_id = r.id)
    ORDER BY r.position
  ) LOOP
    v_thread := turn.user_id || CHR(1) || turn.agent_id || CHR(1) || turn.thread_id;
    INSERT INTO mem_owner.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index,
        event_type, role, payload, created_at, written_by, source_event_id, trust)
      VALUES (:tenant_id, turn.id, turn.user_id, turn.agent_id, turn.thread_id, turn.run_id, v_next(v_thread),
        turn.event_type, turn.role, turn.payload, TO_TIMESTAMP(turn.created_at), turn.written_by,
        turn.source_event_id, turn.trust);
    v_next(v_thread) := v_next(v_thread) + 1;
  END LOOP;
END;
