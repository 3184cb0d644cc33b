-- Sets the trusted context of an operator: a tenant, no user.
-- binds: tenant_id
BEGIN
  mem_sec.operator_ctx.enter(:tenant_id);
END;
