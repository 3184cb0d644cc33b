-- Clears the trusted context of an operator.
-- binds: none
BEGIN
  mem_sec.operator_ctx.leave;
END;
