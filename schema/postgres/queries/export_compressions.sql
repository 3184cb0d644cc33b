-- A cursor over the tenant's rows, each as the text of a JSON object, in the order of their keys.
-- Without those whose source is gone.
declare exported no scroll cursor for
select row_to_json(r)::text as row
from memory.context_compression t
cross join lateral (
  select t.id, t.user_id, t.agent_id, t.thread_id, t.source_type, t.source_id, t.source_version, t.source_hash, t.text,
    t.tokens, t.model, t.prompt_version,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
) r
where t.tenant_id = memory.current_tenant()
  and exists (
    select from memory.known_version v
    where v.tenant_id = t.tenant_id and v.type = t.source_type
      and v.id = t.source_id and v.version = t.source_version)
order by t.id
