-- derived_from and mentions, followed to any depth. Breadth first, each row once: a recursive query would follow
-- every path anew, and a conversation that cites itself has more paths than rows.
-- binds: refs json
-- context: tenant_id, user_id, scn
DECLARE
  TYPE seen_refs IS TABLE OF BOOLEAN INDEX BY VARCHAR2(400);
  v_seen seen_refs;
  v_frontier JSON := :refs;
  v_next JSON_ARRAY_T;
  v_ref JSON_OBJECT_T;
  v_edges JSON_ARRAY_T := JSON_ARRAY_T();
  v_edge JSON_OBJECT_T;
  v_all JSON;
  v_key VARCHAR2(400);
BEGIN
  FOR start_ref IN (
    SELECT r.type AS ref_type, r.id, r.version
    FROM JSON_TABLE(v_frontier, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
      version NUMBER PATH '$.version')) r
  ) LOOP
    v_seen(start_ref.ref_type || ' ' || start_ref.id || ' ' || start_ref.version) := TRUE;
  END LOOP;
  WHILE v_frontier IS NOT NULL AND v_edges.get_size < 20000 LOOP
    v_next := JSON_ARRAY_T();
    FOR step IN (
      SELECT s.derived_type, s.derived_id, s.derived_version, s.source_type, s.source_id, s.source_version, s.relation
      FROM JSON_TABLE(v_frontier, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version')) r
      JOIN mem_owner.context_source_ref AS OF SCN :scn s
        ON s.derived_type = r.type AND s.derived_id = r.id AND s.derived_version = r.version
      WHERE s.tenant_id = :tenant_id AND (s.user_id IS NULL OR s.user_id = :user_id OR :user_id IS NULL)
        AND s.relation IN ('derived_from', 'mentions')
    ) LOOP
      v_edge := JSON_OBJECT_T();
      v_edge.put('derived_type', step.derived_type);
      v_edge.put('derived_id', step.derived_id);
      v_edge.put('derived_version', step.derived_version);
      v_edge.put('source_type', step.source_type);
      v_edge.put('source_id', step.source_id);
      v_edge.put('source_version', step.source_version);
      v_edge.put('relation', step.relation);
      v_edges.append(v_edge);
      v_key := step.source_type || ' ' || step.source_id || ' ' || step.source_version;
      IF NOT v_seen.EXISTS(v_key) THEN
        v_seen(v_key) := TRUE;
        v_ref := JSON_OBJECT_T();
        v_ref.put('type', step.source_type);
        v_ref.put('id', step.source_id);
        v_ref.put('version', step.source_version);
        v_next.append(v_ref);
      END IF;
    END LOOP;
    v_frontier := CASE WHEN v_next.get_size > 0 THEN v_next.to_json END;
  END LOOP;
  v_all := v_edges.to_json;
  SELECT JSON_ARRAYAGG(JSON_OBJECT('derived_type' VALUE e.derived_type, 'derived_id' VALUE e.derived_id,
        'derived_version' VALUE e.derived_version, 'source_type' VALUE e.source_type, 'source_id' VALUE e.source_id,
        'source_version' VALUE e.source_version, 'relation' VALUE e.relation RETURNING JSON)
      ORDER BY e.derived_type, e.derived_id, e.derived_version, e.source_type, e.source_id, e.source_version,
        e.relation
      RETURNING JSON) INTO :result
    FROM (
      SELECT DISTINCT j.derived_type, j.derived_id, j.derived_version, j.source_type, j.source_id, j.source_version,
        j.relation
      FROM JSON_TABLE(v_all, '$[*]' COLUMNS (
        derived_type VARCHAR2(32) PATH '$.derived_type', derived_id VARCHAR2(128) PATH '$.derived_id',
        derived_version NUMBER PATH '$.derived_version', source_type VARCHAR2(32) PATH '$.source_type',
        source_id VARCHAR2(128) PATH '$.source_id', source_version NUMBER PATH '$.source_version',
        relation VARCHAR2(32) PATH '$.relation')) j
      ORDER BY j.derived_type, j.derived_id, j.derived_version, j.source_type, j.source_id, j.source_version,
        j.relation
      FETCH FIRST 20000 ROWS ONLY
    ) e;
END;
