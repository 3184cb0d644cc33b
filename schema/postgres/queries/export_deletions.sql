-- A cursor over the tenant's rows, each as the text of a JSON object, in the order of their keys.
declare exported no scroll cursor for
select row_to_json(r)::text as row
from memory.deletion_events t
cross join lateral (
  select t.id, t.user_id, t.agent_id, t.thread_id, t.deletion_scope, t.reason,
    to_char(t.deleted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as deleted_at
) r
where t.tenant_id = memory.current_tenant()
order by t.id
