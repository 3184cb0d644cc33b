-- Deletes vectors of the tenant by other embedders than this, a bounded number, and tells how many.
-- binds: embedder, row_limit number
-- context: tenant_id
DECLARE
  v_deleted NUMBER;
BEGIN
  DELETE FROM mem_owner.memory_vector v
    WHERE v.tenant_id = :tenant_id AND v.embedder <> :embedder AND ROWNUM <= :row_limit;
  v_deleted := SQL%ROWCOUNT;
  DELETE FROM mem_owner.memory_sign s
    WHERE s.tenant_id = :tenant_id AND s.embedder <> :embedder AND ROWNUM <= :row_limit;
  v_deleted := v_deleted + SQL%ROWCOUNT;
  SELECT JSON_ARRAY(JSON_OBJECT('deleted' VALUE v_deleted RETURNING JSON) RETURNING JSON) INTO :result FROM DUAL;
END;
