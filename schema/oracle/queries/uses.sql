-- From versions to what was derived from them, however far, and to the manifests that used any of it. Breadth first,
-- each version once for each that was asked about, as in provenance. A document stands for its chunks. anyone: of any
-- agent, where an operator asks.
-- binds: refs json, anyone flag, agent_id
-- context: tenant_id, user_id, scn
DECLARE
  TYPE seen_refs IS TABLE OF BOOLEAN INDEX BY VARCHAR2(800);
  v_seen seen_refs;
  v_frontier JSON;
  v_next JSON_ARRAY_T := JSON_ARRAY_T();
  v_all JSON_ARRAY_T := JSON_ARRAY_T();
  v_derived JSON;
  v_ref JSON_OBJECT_T;
  v_key VARCHAR2(800);
BEGIN
  FOR root IN (
    SELECT r.type AS ref_type, r.id, r.version, r.type AS root_type, r.id AS root_id, r.version AS root_version
    FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
      version NUMBER PATH '$.version')) r
    UNION
    SELECT 'chunk' AS ref_type, k.id, 1 AS version, r.type AS root_type, r.id AS root_id, r.version AS root_version
    FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
      version NUMBER PATH '$.version')) r
    JOIN mem_owner.knowledge_base_chunk AS OF SCN :scn k ON r.type = 'document' AND k.document_id = r.id
    WHERE k.tenant_id = :tenant_id AND (k.user_id IS NULL OR k.user_id = :user_id OR :user_id IS NULL)
  ) LOOP
    v_key := root.ref_type || ' ' || root.id || ' ' || root.version || ' ' || root.root_type || ' ' || root.root_id || ' '
      || root.root_version;
    v_seen(v_key) := TRUE;
    v_ref := JSON_OBJECT_T();
    v_ref.put('type', root.ref_type);
    v_ref.put('id', root.id);
    v_ref.put('version', root.version);
    v_ref.put('root_type', root.root_type);
    v_ref.put('root_id', root.root_id);
    v_ref.put('root_version', root.root_version);
    v_next.append(v_ref);
    v_all.append(v_ref);
  END LOOP;
  WHILE v_next.get_size > 0 AND v_all.get_size < 20000 LOOP
    v_frontier := v_next.to_json;
    v_next := JSON_ARRAY_T();
    FOR step IN (
      SELECT DISTINCT s.derived_type, s.derived_id, s.derived_version, r.root_type, r.root_id, r.root_version
      FROM JSON_TABLE(v_frontier, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version', root_type VARCHAR2(32) PATH '$.root_type',
        root_id VARCHAR2(128) PATH '$.root_id', root_version NUMBER PATH '$.root_version')) r
      JOIN mem_owner.context_source_ref AS OF SCN :scn s
        ON s.source_type = r.type AND s.source_id = r.id AND s.source_version = r.version
      WHERE s.tenant_id = :tenant_id AND (s.user_id IS NULL OR s.user_id = :user_id OR :user_id IS NULL)
        AND s.relation IN ('derived_from', 'mentions')
    ) LOOP
      v_key := step.derived_type || ' ' || step.derived_id || ' ' || step.derived_version || ' ' || step.root_type
        || ' ' || step.root_id || ' ' || step.root_version;
      IF NOT v_seen.EXISTS(v_key) THEN
        v_seen(v_key) := TRUE;
        v_ref := JSON_OBJECT_T();
        v_ref.put('type', step.derived_type);
        v_ref.put('id', step.derived_id);
        v_ref.put('version', step.derived_version);
        v_ref.put('root_type', step.root_type);
        v_ref.put('root_id', step.root_id);
        v_ref.put('root_version', step.root_version);
        v_next.append(v_ref);
        v_all.append(v_ref);
      END IF;
    END LOOP;
  END LOOP;
  v_derived := v_all.to_json;
  SELECT JSON_ARRAYAGG(JSON_OBJECT('event_id' VALUE f.event_id, 'tenant_id' VALUE f.tenant_id,
        'user_id' VALUE f.user_id, 'agent_id' VALUE f.agent_id, 'thread_id' VALUE f.thread_id,
        'run_id' VALUE f.run_id, 'created_at' VALUE TO_CHAR(f.created_at), 'kind' VALUE f.kind,
        'root_type' VALUE f.root_type, 'root_id' VALUE f.root_id, 'root_version' VALUE f.root_version,
        'via_type' VALUE f.via_type, 'via_id' VALUE f.via_id, 'via_version' VALUE f.via_version,
        'entry' VALUE f.entry, 'as_correction' VALUE f.as_correction FORMAT JSON RETURNING JSON)
      ORDER BY f.event_order DESC, f.root_type, f.root_id, f.via_type, f.via_id, f.as_correction
      RETURNING JSON) INTO :result
    FROM (
      SELECT m.event_id, m.event_order, m.tenant_id, m.user_id, m.agent_id, m.thread_id, m.run_id, m.created_at,
        JSON_VALUE(m.payload, '$.manifest.kind') AS kind, d.root_type, d.root_id, d.root_version,
        d.type AS via_type, d.id AS via_id, d.version AS via_version, e.entry,
        CASE WHEN e.type = d.type AND e.id = d.id AND e.version = d.version THEN 'false' ELSE 'true' END
          AS as_correction
      FROM JSON_TABLE(v_derived, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
        version NUMBER PATH '$.version', root_type VARCHAR2(32) PATH '$.root_type',
        root_id VARCHAR2(128) PATH '$.root_id', root_version NUMBER PATH '$.root_version')) d
      JOIN mem_owner.context_source_ref AS OF SCN :scn u
        ON u.source_type = d.type AND u.source_id = d.id AND u.source_version = d.version
      JOIN mem_owner.conversation_memory AS OF SCN :scn m ON m.event_id = u.derived_id
      CROSS JOIN JSON_TABLE(m.payload, '$.manifest.memories[*]' COLUMNS (entry JSON PATH '$',
        type VARCHAR2(32) PATH '$.ref[0]', id VARCHAR2(128) PATH '$.ref[1]', version NUMBER PATH '$.ref[2]')) e
      WHERE u.tenant_id = :tenant_id AND (u.user_id IS NULL OR u.user_id = :user_id OR :user_id IS NULL)
        AND u.relation = 'used_in_window'
        AND m.tenant_id = :tenant_id AND (m.user_id = :user_id OR :user_id IS NULL)
        AND m.event_type = 'context_manifest' AND m.deleted_at IS NULL
        AND (:anyone = 1 OR m.agent_id = :agent_id OR m.agent_id IS NULL AND :agent_id IS NULL)
        AND (e.type = d.type AND e.id = d.id AND e.version = d.version OR EXISTS (
          SELECT 1 FROM JSON_TABLE(e.entry, '$.annotation_refs[*]' COLUMNS (type VARCHAR2(32) PATH '$.current[0]',
            id VARCHAR2(128) PATH '$.current[1]', version NUMBER PATH '$.current[2]')) a
          WHERE a.type = d.type AND a.id = d.id AND a.version = d.version))
      ORDER BY m.event_order DESC, d.root_type, d.root_id, d.type, d.id,
        CASE WHEN e.type = d.type AND e.id = d.id AND e.version = d.version THEN 0 ELSE 1 END
      FETCH FIRST 2000 ROWS ONLY
    ) f;
END;
