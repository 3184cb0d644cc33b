-- Locks memories until the transaction ends, against whoever would index them meanwhile.
-- binds: refs json
BEGIN
  mem_owner.source_lock.hold(:refs);
END;
