-- A cursor over the tenant's rows, each as the text of a JSON object, in the order in which they were written.
declare exported no scroll cursor for
select row_to_json(r)::text as row
from memory.conversation_memory t
cross join lateral (
  select t.event_id, t.user_id, t.agent_id, t.thread_id, t.run_id, t.turn_index, t.event_type, t.role, t.payload,
    t.token_cost, t.latency_ms, t.retention_class,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    to_char(t.deleted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as deleted_at,
    t.written_by, t.source_event_id, t.trust,
    to_char(t.quarantined_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as quarantined_at,
    t.quarantine_reason
) r
where t.tenant_id = memory.current_tenant()
order by t.event_order
