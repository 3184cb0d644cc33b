-- Retires a digest. Returns where it ends and the next one begins.
-- binds: row_id
-- context: tenant_id
DECLARE
  v_valid_until TIMESTAMP(6);
  v_retired NUMBER;
BEGIN
  UPDATE mem_owner.summarization_memory m
    SET m.valid_until = GREATEST(m.valid_from, SYS_EXTRACT_UTC(SYSTIMESTAMP))
    WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND m.valid_until IS NULL
    RETURNING m.valid_until INTO v_valid_until;
  v_retired := SQL%ROWCOUNT;
  SELECT JSON_ARRAYAGG(JSON_OBJECT('valid_until' VALUE TO_CHAR(v_valid_until) RETURNING JSON) RETURNING JSON)
    INTO :result
    FROM DUAL WHERE v_retired = 1;
END;
