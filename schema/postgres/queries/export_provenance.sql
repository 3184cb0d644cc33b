-- A cursor over the tenant's rows, each as the text of a JSON object, in the order of their keys.
-- Without those of which an end is gone.
declare exported no scroll cursor for
select row_to_json(r)::text as row
from memory.context_source_ref t
cross join lateral (
  select t.user_id, t.agent_id, t.thread_id, t.derived_type, t.derived_id, t.derived_version, t.source_type, t.source_id,
    t.source_version, t.relation,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
) r
where t.tenant_id = memory.current_tenant()
  and exists (
    select from memory.known_version v
    where v.tenant_id = t.tenant_id and v.type = t.derived_type
      and v.id = t.derived_id and v.version = t.derived_version)
  and exists (
    select from memory.known_version v
    where v.tenant_id = t.tenant_id and v.type = t.source_type
      and v.id = t.source_id and v.version = t.source_version)
order by t.derived_type, t.derived_id, t.derived_version, t.source_type, t.source_id, t.source_version, t.relation,
  t.user_key
