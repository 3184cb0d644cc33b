-- The texts of these compressions. None is ever rewritten, and one that is not there any more was erased: what undo or
-- an archive may still hold of it is not asked for.
-- binds: ids json, user_id
-- context: tenant_id, scn
SELECT c.id, c.user_id, c.source_type, c.source_id, c.source_version, c.source_hash, c.text, c.tokens, c.model,
  c.prompt_version, TRUE AS stands
FROM JSON_TABLE(:ids, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$')) r
JOIN mem_owner.context_compression AS OF SCN :scn c ON c.id = r.id
WHERE c.tenant_id = :tenant_id AND (c.user_id IS NULL OR c.user_id = :user_id)
ORDER BY c.id
