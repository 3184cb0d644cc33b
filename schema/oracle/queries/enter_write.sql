-- Sets the trusted context of an end user.
-- binds: tenant_id, user_id, agent_id
BEGIN
  mem_sec.mem_ctx.enter(:tenant_id, :user_id, :agent_id);
  SELECT JSON_ARRAY(JSON_OBJECT('tenant_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID'),
      'user_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'USER_ID'), 'agent_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'AGENT_ID')
      RETURNING JSON) RETURNING JSON) INTO :result
    FROM DUAL;
END;
