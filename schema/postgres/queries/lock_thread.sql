-- Locks the thread, creating it: two calls that find no run must not both open one.
-- binds: agent_id, thread_id
insert into memory.thread (tenant_id, user_id, agent_id, thread_id, next_turn_index, created_at)
values (memory.current_tenant(), memory.context_user(), $1, $2, 1, clock_timestamp())
on conflict (tenant_id, user_id, agent_key, thread_id) do update set next_turn_index = thread.next_turn_index
