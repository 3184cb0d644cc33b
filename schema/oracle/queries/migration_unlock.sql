-- Lets the next migration begin.
-- binds: none
DECLARE
  v_status NUMBER;
BEGIN
  v_status := DBMS_LOCK.RELEASE(710311428);
END;
