-- What stands already under the same source, model, prompt and number of tokens stays.
-- binds: new_compressions json
-- context: tenant_id, user_id
INSERT INTO mem_owner.context_compression (tenant_id, id, user_id, source_type, source_id, source_version,
  source_hash,
  text, tokens, model, prompt_version, created_at)
SELECT :tenant_id, c.id, :user_id, c.source_type, c.source_id, c.source_version, c.source_hash, c.text, c.tokens,
  c.model,
  c.prompt_version, SYS_EXTRACT_UTC(SYSTIMESTAMP)
FROM JSON_TABLE(:new_compressions, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id',
  source_type VARCHAR2(32) PATH '$.source_type', source_id VARCHAR2(128) PATH '$.source_id',
  source_version NUMBER PATH '$.source_version', source_hash VARCHAR2(64) PATH '$.source_hash',
  text CLOB PATH '$.text', tokens NUMBER PATH '$.tokens', model VARCHAR2(255) PATH '$.model',
  prompt_version VARCHAR2(255) PATH '$.prompt_version')) c
WHERE NOT EXISTS (
  SELECT 1 FROM mem_owner.context_compression e
  WHERE e.tenant_id = :tenant_id AND e.source_type = c.source_type AND e.source_id = c.source_id
    AND e.source_version = c.source_version AND e.source_hash = c.source_hash AND e.model = c.model
    AND e.prompt_version = c.prompt_version AND e.tokens = c.tokens
    AND (e.user_id = :user_id OR e.user_id IS NULL AND :user_id IS NULL))
