-- Rows as export_links gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.memory_link (tenant_id, user_id, agent_id, thread_id, source_type, source_id, source_version,
  target_type, target_id, target_version, relation, metadata, created_at)
SELECT :tenant_id, r.user_id, r.agent_id, r.thread_id, r.source_type, r.source_id, r.source_version, r.target_type,
  r.target_id, r.target_version, r.relation, r.metadata, TO_TIMESTAMP(r.created_at)
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
  source_type VARCHAR2(32) PATH '$.source_type', source_id VARCHAR2(128) PATH '$.source_id',
  source_version NUMBER PATH '$.source_version', target_type VARCHAR2(32) PATH '$.target_type',
  target_id VARCHAR2(128) PATH '$.target_id', target_version NUMBER PATH '$.target_version',
  relation VARCHAR2(32) PATH '$.relation', metadata JSON PATH '$.metadata',
  created_at VARCHAR2(27) PATH '$.created_at')) r
