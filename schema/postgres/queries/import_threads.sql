-- $1 rows as export_threads gives them, in their order
insert into memory.thread (tenant_id, user_id, agent_id, thread_id, next_turn_index, created_at)
select memory.current_tenant(), r.user_id, r.agent_id, r.thread_id, r.next_turn_index, r.created_at
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (user_id text, agent_id text, thread_id text,
  next_turn_index integer, created_at timestamptz)
order by e.place
