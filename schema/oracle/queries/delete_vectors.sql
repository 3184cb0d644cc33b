-- The vectors of these refs by one embedder.
-- binds: refs json, embedder
-- context: tenant_id
BEGIN
  DELETE FROM mem_owner.memory_sign t
    WHERE t.tenant_id = :tenant_id
      AND t.part IN ('text', 'context') AND t.embedder = :embedder AND (t.kind, t.id, t.version) IN (
      SELECT r.type, r.id, r.version
      FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version')) r);
  DELETE FROM mem_owner.memory_vector t
    WHERE t.tenant_id = :tenant_id
      AND t.part IN ('text', 'context') AND t.embedder = :embedder AND (t.kind, t.id, t.version) IN (
      SELECT r.type, r.id, r.version
      FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version')) r);
END;
