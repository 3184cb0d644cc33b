-- Rows as export_events gives them, in their order. One by one: the order of events is the order of their numbers.
-- binds: exported_rows json
-- context: tenant_id
BEGIN
  FOR event IN (
    SELECT r.event_id, r.user_id, r.agent_id, r.thread_id, r.run_id, r.turn_index, r.event_type, r.role, r.payload,
      r.token_cost, r.latency_ms, r.retention_class, r.created_at, r.deleted_at, r.written_by, r.source_event_id,
      r.trust, r.quarantined_at, r.quarantine_reason
    FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (position FOR ORDINALITY, event_id VARCHAR2(128) PATH '$.event_id',
      user_id VARCHAR2(255) PATH '$.user_id', agent_id VARCHAR2(255) PATH '$.agent_id',
      thread_id VARCHAR2(255) PATH '$.thread_id', run_id VARCHAR2(128) PATH '$.run_id',
      turn_index NUMBER PATH '$.turn_index', event_type VARCHAR2(32) PATH '$.event_type',
      role VARCHAR2(16) PATH '$.role', payload JSON PATH '$.payload', token_cost NUMBER PATH '$.token_cost',
      latency_ms NUMBER PATH '$.latency_ms', retention_class VARCHAR2(255) PATH '$.retention_class',
      created_at VARCHAR2(27) PATH '$.created_at', deleted_at VARCHAR2(27) PATH '$.deleted_at',
      written_by VARCHAR2(255) PATH '$.written_by', source_event_id VARCHAR2(128) PATH '$.source_event_id',
      trust VARCHAR2(16) PATH '$.trust', quarantined_at VARCHAR2(27) PATH '$.quarantined_at',
      quarantine_reason VARCHAR2(4000) PATH '$.quarantine_reason')) r
    ORDER BY r.position
  ) LOOP
    INSERT INTO mem_owner.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index,
        event_type, role, payload, token_cost, latency_ms, retention_class, created_at, deleted_at, written_by,
        source_event_id, trust, quarantined_at, quarantine_reason)
      VALUES (:tenant_id, event.event_id, event.user_id, event.agent_id, event.thread_id, event.run_id,
        event.turn_index, event.event_type, event.role, event.payload, event.token_cost, event.latency_ms,
        event.retention_class, TO_TIMESTAMP(event.created_at), TO_TIMESTAMP(event.deleted_at), event.written_by,
        event.source_event_id, event.trust, TO_TIMESTAMP(event.quarantined_at), event.quarantine_reason);
  END LOOP;
END;
