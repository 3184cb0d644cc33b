-- Rows as export_provenance gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.context_source_ref (tenant_id, user_id, agent_id, thread_id, derived_type, derived_id,
  derived_version, source_type, source_id, source_version, relation, created_at)
SELECT :tenant_id, r.user_id, r.agent_id, r.thread_id, r.derived_type, r.derived_id, r.derived_version, r.source_type,
  r.source_id, r.source_version, r.relation, TO_TIMESTAMP(r.created_at)
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
  derived_type VARCHAR2(32) PATH '$.derived_type', derived_id VARCHAR2(128) PATH '$.derived_id',
  derived_version NUMBER PATH '$.derived_version', source_type VARCHAR2(32) PATH '$.source_type',
  source_id VARCHAR2(128) PATH '$.source_id', source_version NUMBER PATH '$.source_version',
  relation VARCHAR2(32) PATH '$.relation', created_at VARCHAR2(27) PATH '$.created_at')) r
