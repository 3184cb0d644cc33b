-- Sets the trusted context of an operator and takes the position of all reads that follow, as enter_read does.
-- binds: tenant_id
DECLARE
  v_scn NUMBER;
  v_now TIMESTAMP(6);
BEGIN
  mem_sec.operator_ctx.enter(:tenant_id);
  v_scn := mem_sec.current_scn;
  v_now := SYS_EXTRACT_UTC(SYSTIMESTAMP);
  SELECT JSON_ARRAY(JSON_OBJECT('tenant_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID'),
      'user_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'USER_ID'), 'agent_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'AGENT_ID'),
      'scn' VALUE TO_CHAR(v_scn), 'now' VALUE TO_CHAR(v_now), 'incarnation' VALUE mem_sec.incarnation
      RETURNING JSON) RETURNING JSON) INTO :result
    FROM DUAL;
END;
