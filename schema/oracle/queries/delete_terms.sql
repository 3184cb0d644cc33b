-- What a search by words would find of these refs.
-- binds: refs json
-- context: tenant_id
BEGIN
  DELETE FROM mem_owner.memory_posting t
    WHERE t.tenant_id = :tenant_id AND (t.kind, t.id, t.version) IN (
      SELECT r.type, r.id, r.version
      FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version')) r);
  DELETE FROM mem_owner.memory_term t
    WHERE t.tenant_id = :tenant_id AND (t.kind, t.id, t.version) IN (
      SELECT r.type, r.id, r.version
      FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version')) r);
  DELETE FROM mem_owner.memory_name t
    WHERE t.tenant_id = :tenant_id AND (t.kind, t.id, t.version) IN (
      SELECT r.type, r.id, r.version
      FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version')) r);
END;
