-- A count that stands already takes the new figure.
-- binds: counts json
-- context: tenant_id, user_id
BEGIN
  FOR entry IN (
    SELECT c.type AS kind, c.id, c.version, c.tier, c.renderer_version, c.encoding, c.content_hash, c.tokens
    FROM JSON_TABLE(:counts, '$[*]' COLUMNS (
      type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version',
      tier VARCHAR2(16) PATH '$.tier', renderer_version VARCHAR2(255) PATH '$.renderer_version',
      encoding VARCHAR2(255) PATH '$.encoding', content_hash VARCHAR2(64) PATH '$.content_hash',
      tokens NUMBER PATH '$.tokens')) c
    ORDER BY c.type, c.id, c.version, c.tier
  ) LOOP
    UPDATE mem_owner.token_count t SET t.tokens = entry.tokens, t.content_hash = entry.content_hash
      WHERE t.tenant_id = :tenant_id AND t.kind = entry.kind AND t.id = entry.id AND t.version = entry.version
        AND t.tier = entry.tier AND t.renderer_version = entry.renderer_version AND t.encoding = entry.encoding
        AND t.user_key = NVL(:user_id, CHR(1));
    IF SQL%ROWCOUNT = 0 THEN
      BEGIN
        INSERT INTO mem_owner.token_count (tenant_id, user_id, kind, id, version, tier, renderer_version, encoding,
            content_hash, tokens)
          VALUES (:tenant_id, :user_id, entry.kind, entry.id, entry.version, entry.tier, entry.renderer_version,
            entry.encoding, entry.content_hash, entry.tokens);
      EXCEPTION
        -- Somebody counted the same at the same time, and came to the same figure.
        WHEN DUP_VAL_ON_INDEX THEN
          NULL;
      END;
    END IF;
  END LOOP;
END;
