-- Sets the trusted context of an operator for an erasure or retention, which takes the tenant's lock itself, alone. It
-- may take long: its bound is the driver's.
-- binds: tenant_id
BEGIN
  mem_sec.operator_ctx.enter(:tenant_id);
END;
