-- Retires a row, at the time given or now. Returns where it ends and the next begins.
-- binds: row_id, next_id, next_valid_from
update memory.entity_memory
set valid_until = greatest(valid_from, coalesce($3::timestamptz, clock_timestamp())), superseded_by = $2
where tenant_id = memory.current_tenant() and id = $1
returning valid_until
