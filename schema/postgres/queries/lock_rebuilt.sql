-- Locks memories until the transaction ends, against whoever would index them meanwhile.
-- binds: refs
select memory.lock_rebuilt($1::jsonb)
