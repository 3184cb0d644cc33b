-- One migration at a time for a database; the number is this program's own. The lock outlives the commits that DDL
-- makes, and ends with the session or migration_unlock. Fails when another one holds it for ten minutes.
-- binds: none
DECLARE
  v_status NUMBER;
BEGIN
  v_status := DBMS_LOCK.REQUEST(id => 710311428, lockmode => DBMS_LOCK.X_MODE, timeout => 600,
    release_on_commit => FALSE);
  -- 4: this session has it already.
  IF v_status NOT IN (0, 4) THEN
    RAISE_APPLICATION_ERROR(-20002, 'another migration is running');
  END IF;
END;
