-- $1 the digest's id. Returns where it ends and the next one begins.
update memory.summarization_memory
set valid_until = greatest(valid_from, clock_timestamp())
where tenant_id = memory.current_tenant() and id = $1 and valid_until is null
returning valid_until
