-- Rows as export_personas gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.persona_memory (tenant_id, id, user_id, agent_id, thread_id, persona_key, confidence,
  valid_from, valid_until, created_at, deleted_at, written_by, source_event_id, trust, quarantined_at,
  quarantine_reason, persona_value)
SELECT :tenant_id, r.id, r.user_id, r.agent_id, r.thread_id, r.persona_key, r.confidence, TO_TIMESTAMP(r.valid_from),
  TO_TIMESTAMP(r.valid_until), TO_TIMESTAMP(r.created_at), TO_TIMESTAMP(r.deleted_at), r.written_by,
  r.source_event_id, r.trust, TO_TIMESTAMP(r.quarantined_at), r.quarantine_reason, r.persona_value
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
  persona_key VARCHAR2(500) PATH '$.persona_key', confidence NUMBER PATH '$.confidence',
  valid_from VARCHAR2(27) PATH '$.valid_from', valid_until VARCHAR2(27) PATH '$.valid_until',
  created_at VARCHAR2(27) PATH '$.created_at', deleted_at VARCHAR2(27) PATH '$.deleted_at',
  written_by VARCHAR2(255) PATH '$.written_by', source_event_id VARCHAR2(128) PATH '$.source_event_id',
  trust VARCHAR2(16) PATH '$.trust', quarantined_at VARCHAR2(27) PATH '$.quarantined_at',
  quarantine_reason VARCHAR2(4000) PATH '$.quarantine_reason', persona_value JSON PATH '$.persona_value')) r
