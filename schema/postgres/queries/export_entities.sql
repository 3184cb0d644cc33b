-- A cursor over the tenant's rows, each as the text of a JSON object, in the order of their keys.
declare exported no scroll cursor for
select row_to_json(r)::text as row
from memory.entity_memory t
cross join lateral (
  select t.id, t.user_id, t.agent_id, t.thread_id, t.subject, t.predicate, t.content, t.content_hash, t.content_json,
    t.conditions_hash, t.confidence, t.version, t.superseded_by,
    to_char(t.valid_from at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as valid_from,
    to_char(t.valid_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as valid_until,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    to_char(t.deleted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as deleted_at,
    t.written_by, t.source_event_id, t.trust,
    to_char(t.quarantined_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as quarantined_at,
    t.quarantine_reason
) r
where t.tenant_id = memory.current_tenant()
order by t.id
