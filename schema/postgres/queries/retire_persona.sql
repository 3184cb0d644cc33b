-- Retires a row, at the time given or now. Returns where it ends and the next begins.
-- binds: row_id, next_valid_from
update memory.persona_memory
set valid_until = greatest(valid_from, coalesce($2::timestamptz, clock_timestamp()))
where tenant_id = memory.current_tenant() and id = $1
returning valid_until
