-- Locks the sources of derived rows until the transaction ends.
-- binds: refs
select memory.lock_sources($1::jsonb)
