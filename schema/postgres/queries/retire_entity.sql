-- $1 row, $2 the next version's id, $3 its valid_from or null: the clock. Returns where one ends and the next begins.
update memory.entity_memory
set valid_until = greatest(valid_from, coalesce($3::timestamptz, clock_timestamp())), superseded_by = $2
where tenant_id = memory.current_tenant() and id = $1
returning valid_until
