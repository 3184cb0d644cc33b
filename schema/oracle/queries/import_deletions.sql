-- Rows as export_deletions gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.deletion_events (tenant_id, id, user_id, agent_id, thread_id, deletion_scope, reason, deleted_at)
SELECT :tenant_id, r.id, r.user_id, r.agent_id, r.thread_id, r.deletion_scope, r.reason, TO_TIMESTAMP(r.deleted_at)
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
  deletion_scope VARCHAR2(255) PATH '$.deletion_scope', reason VARCHAR2(4000) PATH '$.reason',
  deleted_at VARCHAR2(27) PATH '$.deleted_at')) r
