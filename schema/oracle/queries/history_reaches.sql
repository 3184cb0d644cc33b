-- Whether reads as of a position can still be answered. How far back they reach is a matter of undo and of flashback
-- archives, which tell it by refusing; a tenant's own policy may end them earlier.
-- binds: at_snapshot
-- context: tenant_id
DECLARE
  v_scn NUMBER := TO_NUMBER(:at_snapshot);
  v_at TIMESTAMP(6);
  v_rows NUMBER;
  v_reaches VARCHAR2(5);
  e_snapshot_too_old EXCEPTION;
  e_table_has_changed EXCEPTION;
  e_no_position EXCEPTION;
  e_no_time EXCEPTION;
  PRAGMA EXCEPTION_INIT(e_snapshot_too_old, -1555);
  PRAGMA EXCEPTION_INIT(e_table_has_changed, -1466);
  PRAGMA EXCEPTION_INIT(e_no_position, -8180);
  PRAGMA EXCEPTION_INIT(e_no_time, -8181);
BEGIN
  BEGIN
    -- The database knows the time of a position for as long as it keeps any history, and five days at least.
    SELECT SCN_TO_TIMESTAMP(v_scn) INTO v_at FROM DUAL;
    -- A definition that changed ends the past of its table alone.
    SELECT COUNT(*) INTO v_rows
      FROM (
        SELECT g.id FROM mem_owner.guideline_memory AS OF SCN v_scn g
        WHERE g.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT p.id FROM mem_owner.persona_memory AS OF SCN v_scn p
        WHERE p.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT t.id FROM mem_owner.toolbox_memory AS OF SCN v_scn t
        WHERE t.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT e.id FROM mem_owner.entity_memory AS OF SCN v_scn e
        WHERE e.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT w.id FROM mem_owner.workflow_memory AS OF SCN v_scn w
        WHERE w.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT s.id FROM mem_owner.summarization_memory AS OF SCN v_scn s
        WHERE s.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT c.event_id AS id FROM mem_owner.conversation_memory AS OF SCN v_scn c
        WHERE c.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT d.id FROM mem_owner.knowledge_base_document AS OF SCN v_scn d
        WHERE d.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT k.id FROM mem_owner.knowledge_base_chunk AS OF SCN v_scn k
        WHERE k.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT r.derived_id AS id FROM mem_owner.context_source_ref AS OF SCN v_scn r
        WHERE r.tenant_id = :tenant_id AND ROWNUM = 1
        UNION ALL
        SELECT l.source_id AS id FROM mem_owner.memory_link AS OF SCN v_scn l
        WHERE l.tenant_id = :tenant_id AND ROWNUM = 1
      ) f;
    SELECT CASE WHEN MAX(h.horizon) > v_scn THEN 'false' ELSE 'true' END INTO v_reaches
      FROM mem_owner.history_horizon h
      WHERE h.tenant_id = :tenant_id;
  EXCEPTION
    WHEN e_snapshot_too_old OR e_table_has_changed OR e_no_position OR e_no_time THEN
      v_reaches := 'false';
  END;
  SELECT JSON_ARRAY(JSON_OBJECT('reaches' VALUE v_reaches FORMAT JSON RETURNING JSON) RETURNING JSON) INTO :result
    FROM DUAL;
END;
