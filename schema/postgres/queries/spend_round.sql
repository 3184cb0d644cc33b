-- Spends a round and tokens, unless another call came first.
-- binds: run_id, tokens, rounds_used_before
update memory.context_run
set rounds_used = rounds_used + 1, tokens_left = tokens_left - $2::integer, last_call_at = clock_timestamp()
where tenant_id = memory.current_tenant() and run_id = $1 and rounds_used = $3::integer
returning run_id
