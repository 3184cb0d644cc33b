-- Sets the trusted context and takes the position of all reads that follow. The clock is read after the SCN, so no
-- visible row was stamped later.
-- binds: tenant_id, user_id, agent_id
DECLARE
  v_scn NUMBER;
  v_now TIMESTAMP(6);
BEGIN
  mem_sec.mem_ctx.enter(:tenant_id, :user_id, :agent_id);
  v_scn := mem_sec.current_scn;
  v_now := SYS_EXTRACT_UTC(SYSTIMESTAMP);
  SELECT JSON_ARRAY(JSON_OBJECT('tenant_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID'),
      'user_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'USER_ID'), 'agent_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'AGENT_ID'),
      'scn' VALUE TO_CHAR(v_scn), 'now' VALUE TO_CHAR(v_now), 'incarnation' VALUE mem_sec.incarnation
      RETURNING JSON) RETURNING JSON) INTO :result
    FROM DUAL;
END;
