-- Locks the sources of derived rows until the transaction ends.
-- binds: refs json
BEGIN
  mem_owner.source_lock.hold(:refs);
END;
