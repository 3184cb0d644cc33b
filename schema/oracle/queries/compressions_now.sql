-- Compressions of these sources, by whatever model.
-- As the writing transaction sees it, rows of its own included, which a read AS OF does not.
-- binds: refs json
-- context: tenant_id
SELECT c.tenant_id, c.id, c.user_id, c.agent_id, c.thread_id, c.source_type, c.source_id, c.source_version,
  c.source_hash, c.text, c.tokens, c.model, c.prompt_version, TO_CHAR(c.created_at) AS created_at
FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
  version NUMBER PATH '$.version')) r
JOIN mem_owner.context_compression c
  ON c.source_type = r.type AND c.source_id = r.id AND c.source_version = r.version
WHERE c.tenant_id = :tenant_id
ORDER BY c.id
FETCH FIRST 5000 ROWS ONLY
