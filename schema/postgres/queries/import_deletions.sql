-- $1 rows as export_deletions gives them, in their order
insert into memory.deletion_events (tenant_id, id, user_id, agent_id, thread_id, deletion_scope, reason,
  deleted_at)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.thread_id, r.deletion_scope, r.reason, r.deleted_at
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, thread_id text,
  deletion_scope text, reason text, deleted_at timestamptz)
order by e.place
