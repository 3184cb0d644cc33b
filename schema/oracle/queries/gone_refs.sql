-- The refs of a manifest that no living row has any more.
-- binds: manifest_id
DECLARE
  v_gone JSON;
BEGIN
  v_gone := mem_sec.gone_refs.of_manifest(:manifest_id);
  SELECT JSON_ARRAYAGG(JSON_OBJECT('type' VALUE g.type, 'id' VALUE g.id, 'version' VALUE g.version RETURNING JSON)
      ORDER BY g.type, g.id, g.version RETURNING JSON) INTO :result
    FROM JSON_TABLE(v_gone, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
      version NUMBER PATH '$.version')) g;
END;
