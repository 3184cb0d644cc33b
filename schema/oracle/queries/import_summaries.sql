-- Rows as export_summaries gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.summarization_memory (tenant_id, id, user_id, agent_id, thread_id, task_type, title, summary,
  key_steps, outcome, artifacts, confidence, completed_at, valid_from, valid_until, created_at, deleted_at,
  written_by, source_event_id, trust, quarantined_at, quarantine_reason)
SELECT :tenant_id, r.id, r.user_id, r.agent_id, r.thread_id, r.task_type, r.title, r.summary, r.key_steps, r.outcome,
  r.artifacts, r.confidence, TO_TIMESTAMP(r.completed_at), TO_TIMESTAMP(r.valid_from), TO_TIMESTAMP(r.valid_until),
  TO_TIMESTAMP(r.created_at), TO_TIMESTAMP(r.deleted_at), r.written_by, r.source_event_id, r.trust,
  TO_TIMESTAMP(r.quarantined_at), r.quarantine_reason
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
  task_type VARCHAR2(255) PATH '$.task_type', title VARCHAR2(4000) PATH '$.title', summary CLOB PATH '$.summary',
  key_steps JSON PATH '$.key_steps', outcome CLOB PATH '$.outcome', artifacts JSON PATH '$.artifacts',
  confidence NUMBER PATH '$.confidence', completed_at VARCHAR2(27) PATH '$.completed_at',
  valid_from VARCHAR2(27) PATH '$.valid_from', valid_until VARCHAR2(27) PATH '$.valid_until',
  created_at VARCHAR2(27) PATH '$.created_at', deleted_at VARCHAR2(27) PATH '$.deleted_at',
  written_by VARCHAR2(255) PATH '$.written_by', source_event_id VARCHAR2(128) PATH '$.source_event_id',
  trust VARCHAR2(16) PATH '$.trust', quarantined_at VARCHAR2(27) PATH '$.quarantined_at',
  quarantine_reason VARCHAR2(4000) PATH '$.quarantine_reason')) r
