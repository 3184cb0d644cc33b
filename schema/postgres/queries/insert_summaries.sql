-- New rows; those whose id exists stay as they are. Returns the ids of those that did not.
-- binds: new_rows
insert into memory.summarization_memory (tenant_id, id, user_id, agent_id, thread_id, task_type, title, summary,
  key_steps, outcome, artifacts, confidence, completed_at, valid_from, valid_until, created_at, written_by,
  source_event_id, trust)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.thread_id, r.task_type, r.title, r.summary,
  r.key_steps, r.outcome, r.artifacts, r.confidence, r.completed_at, coalesce(r.valid_from, clock_timestamp()),
  r.valid_until, coalesce(r.created_at, clock_timestamp()), r.written_by, r.source_event_id, r.trust
from jsonb_to_recordset($1::jsonb) as r (id text, user_id text, agent_id text, thread_id text, task_type text,
  title text, summary text, key_steps jsonb, outcome text, artifacts jsonb, confidence double precision,
  completed_at timestamptz, valid_from timestamptz, valid_until timestamptz, created_at timestamptz, written_by text,
  source_event_id text, trust text)
on conflict (tenant_id, id) do nothing
returning id
