-- Clears the trusted context of an end user.
-- binds: none
BEGIN
  mem_sec.mem_ctx.leave;
END;
