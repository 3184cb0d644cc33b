-- The scope's latest run, with the whole seconds since its last call.
-- binds: agent_id, thread_id
select r.*, floor(extract(epoch from clock_timestamp() - r.last_call_at))::bigint as idle_for
from memory.context_run r
where r.user_id = memory.context_user() and r.thread_id = $2 and r.agent_id is not distinct from $1
order by r.run_order desc
limit 1
