-- $1 refs
select memory.lock_sources($1::jsonb)
