-- Any visible copy, a shared one first.
-- binds: refs json, renderer_version, encoding
-- context: tenant_id, user_id, scn
SELECT c.type, c.id, c.version, c.tier, c.tokens
FROM (
  SELECT t.kind AS type, t.id, t.version, t.tier, t.tokens,
    ROW_NUMBER() OVER (PARTITION BY t.kind, t.id, t.version, t.tier ORDER BY t.user_key) AS place
  FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
    version NUMBER PATH '$.version')) r
  JOIN mem_owner.token_count AS OF SCN :scn t ON t.kind = r.type AND t.id = r.id AND t.version = r.version
  WHERE t.tenant_id = :tenant_id AND (t.user_id IS NULL OR t.user_id = :user_id)
    AND t.renderer_version = :renderer_version AND t.encoding = :encoding
) c
WHERE c.place = 1
ORDER BY c.type, c.id, c.version, c.tier
