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
    SELECT COUNT(*) INTO v_rows
      FROM mem_owner.guideline_memory AS OF SCN v_scn g
      WHERE g.tenant_id = :tenant_id;
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
