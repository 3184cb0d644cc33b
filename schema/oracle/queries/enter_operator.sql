-- Sets the trusted context of an operator, a tenant and no user, for writes: they hold the tenant's lock shared.
-- binds: tenant_id
BEGIN
  mem_sec.operator_ctx.enter(:tenant_id);
  mem_sec.tenant_lock.hold_shared;
END;
