-- Sets the trusted context of an end user. Every write of a tenant holds its lock shared, so that an erasure, which
-- holds it alone, finds all that is derived or is waited for.
-- binds: tenant_id, user_id, agent_id
BEGIN
  mem_sec.mem_ctx.enter(:tenant_id, :user_id, :agent_id);
  mem_sec.tenant_lock.hold_shared;
  SELECT JSON_ARRAY(JSON_OBJECT('tenant_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID'),
      'user_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'USER_ID'), 'agent_id' VALUE SYS_CONTEXT('MEMORY_CTX', 'AGENT_ID')
      RETURNING JSON) RETURNING JSON) INTO :result
    FROM DUAL;
END;
