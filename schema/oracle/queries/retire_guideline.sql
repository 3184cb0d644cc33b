-- Retires a row, at the time given or now. Returns where it ends and the next begins.
-- binds: row_id, next_id, next_valid_from
-- context: tenant_id
DECLARE
  v_valid_until TIMESTAMP(6);
  v_retired NUMBER;
BEGIN
  UPDATE mem_owner.guideline_memory m
    SET m.valid_until = GREATEST(m.valid_from, COALESCE(TO_TIMESTAMP(:next_valid_from),
      SYS_EXTRACT_UTC(SYSTIMESTAMP))),
      m.superseded_by = :next_id
    WHERE m.tenant_id = :tenant_id AND m.id = :row_id
    RETURNING m.valid_until INTO v_valid_until;
  v_retired := SQL%ROWCOUNT;
  SELECT JSON_ARRAYAGG(JSON_OBJECT('valid_until' VALUE TO_CHAR(v_valid_until) RETURNING JSON) RETURNING JSON)
    INTO :result
    FROM DUAL WHERE v_retired = 1;
END;
