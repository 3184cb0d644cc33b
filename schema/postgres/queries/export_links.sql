-- A cursor over the tenant's rows, each as the text of a JSON object, in the order of their keys.
-- Without those of which an end is gone.
declare exported no scroll cursor for
select row_to_json(r)::text as row
from memory.memory_link t
cross join lateral (
  select t.user_id, t.agent_id, t.thread_id, t.source_type, t.source_id, t.source_version, t.target_type, t.target_id,
    t.target_version, t.relation, t.metadata,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
) r
where t.tenant_id = memory.current_tenant()
  and exists (
    select from memory.known_version v
    where v.tenant_id = t.tenant_id and v.type = t.source_type
      and v.id = t.source_id and v.version = t.source_version)
  and exists (
    select from memory.known_version v
    where v.tenant_id = t.tenant_id and v.type = t.target_type
      and v.id = t.target_id and v.version = t.target_version)
order by t.source_type, t.source_id, t.source_version, t.target_type, t.target_id, t.target_version, t.relation,
  t.user_key
