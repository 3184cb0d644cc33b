-- $1 rows as export_provenance gives them, in their order
insert into memory.context_source_ref (tenant_id, user_id, agent_id, thread_id, derived_type, derived_id,
  derived_version, source_type, source_id, source_version, relation, created_at)
select memory.current_tenant(), r.user_id, r.agent_id, r.thread_id, r.derived_type, r.derived_id, r.derived_version,
  r.source_type, r.source_id, r.source_version, r.relation, r.created_at
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (user_id text, agent_id text, thread_id text, derived_type text,
  derived_id text, derived_version integer, source_type text, source_id text, source_version integer, relation text,
  created_at timestamptz)
order by e.place
