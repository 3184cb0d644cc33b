-- The token counts of these refs, whoever they were kept for.
-- binds: refs json
-- context: tenant_id
BEGIN
  DELETE FROM mem_owner.token_count t
    WHERE t.tenant_id = :tenant_id AND (t.kind, t.id, t.version) IN (
      SELECT r.type, r.id, r.version
      FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version')) r);
END;
