-- $1 row, $2 the next valid_from or null: the clock. Returns where one ends and the next begins.
update memory.persona_memory
set valid_until = greatest(valid_from, coalesce($2::timestamptz, clock_timestamp()))
where tenant_id = memory.current_tenant() and id = $1
returning valid_until
