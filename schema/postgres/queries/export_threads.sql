-- A cursor over the tenant's rows, each as the text of a JSON object, in the order of their keys.
declare exported no scroll cursor for
select row_to_json(r)::text as row
from memory.thread t
cross join lateral (
  select t.user_id, t.agent_id, t.thread_id, t.next_turn_index,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
) r
where t.tenant_id = memory.current_tenant()
order by t.user_id, t.agent_key, t.thread_id
