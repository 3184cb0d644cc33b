-- $1 rows as export_links gives them, in their order
insert into memory.memory_link (tenant_id, user_id, agent_id, thread_id, source_type, source_id, source_version,
  target_type, target_id, target_version, relation, metadata, created_at)
select memory.current_tenant(), r.user_id, r.agent_id, r.thread_id, r.source_type, r.source_id, r.source_version,
  r.target_type, r.target_id, r.target_version, r.relation, r.metadata, r.created_at
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (user_id text, agent_id text, thread_id text, source_type text,
  source_id text, source_version integer, target_type text, target_id text, target_version integer, relation text,
  metadata jsonb, created_at timestamptz)
order by e.place
