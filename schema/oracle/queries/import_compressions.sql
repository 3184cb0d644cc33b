-- Rows as export_compressions gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.context_compression (tenant_id, id, user_id, agent_id, thread_id, source_type, source_id,
  source_version, source_hash, text, tokens, model, prompt_version, created_at)
SELECT :tenant_id, r.id, r.user_id, r.agent_id, r.thread_id, r.source_type, r.source_id, r.source_version,
  r.source_hash, r.text, r.tokens, r.model, r.prompt_version, TO_TIMESTAMP(r.created_at)
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', thread_id VARCHAR2(255) PATH '$.thread_id',
  source_type VARCHAR2(32) PATH '$.source_type', source_id VARCHAR2(128) PATH '$.source_id',
  source_version NUMBER PATH '$.source_version', source_hash VARCHAR2(64) PATH '$.source_hash',
  text CLOB PATH '$.text', tokens NUMBER PATH '$.tokens', model VARCHAR2(255) PATH '$.model',
  prompt_version VARCHAR2(255) PATH '$.prompt_version', created_at VARCHAR2(27) PATH '$.created_at')) r
