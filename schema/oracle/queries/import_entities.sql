-- Rows as export_entities gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.entity_memory (tenant_id, id, user_id, agent_id, thread_id, subject, predicate, content,
  content_hash, content_json, conditions_hash, confidence, version, superseded_by, valid_from, valid_until,
  created_at, deleted_at, written_by, source_event_id, trust, quarantined_at, quarantine_reason)
SELECT :tenant_id, r.id, r.user_id, r.agent_id, r.thread_id, r.subject, r.predicate, r.content, r.content_hash,
  r.content_json, r.conditions_hash, r.confidence, r.version, r.superseded_by, TO_TIMESTAMP(r.valid_from),
  TO_TIMESTAMP(r.valid_until), TO_TIMESTAMP(r.created_at), TO_TIMESTAMP(r.deleted_at), r.written_by,
  r.source_event_id, r.trust, TO_TIMESTAMP(r.quarantined_at), r.quarantine_reason
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
  subject VARCHAR2(1000) PATH '$.subject', predicate VARCHAR2(1000) PATH '$.predicate', content CLOB PATH '$.content',
  content_hash VARCHAR2(64) PATH '$.content_hash', content_json JSON PATH '$.content_json',
  conditions_hash VARCHAR2(64) PATH '$.conditions_hash', confidence NUMBER PATH '$.confidence',
  version NUMBER PATH '$.version', superseded_by VARCHAR2(128) PATH '$.superseded_by',
  valid_from VARCHAR2(27) PATH '$.valid_from', valid_until VARCHAR2(27) PATH '$.valid_until',
  created_at VARCHAR2(27) PATH '$.created_at', deleted_at VARCHAR2(27) PATH '$.deleted_at',
  written_by VARCHAR2(255) PATH '$.written_by', source_event_id VARCHAR2(128) PATH '$.source_event_id',
  trust VARCHAR2(16) PATH '$.trust', quarantined_at VARCHAR2(27) PATH '$.quarantined_at',
  quarantine_reason VARCHAR2(4000) PATH '$.quarantine_reason')) r
