-- $1 rows as export_summaries gives them, in their order
insert into memory.summarization_memory (tenant_id, id, user_id, agent_id, thread_id, task_type, title, summary,
  key_steps, outcome, artifacts, confidence, completed_at, valid_from, valid_until, created_at, deleted_at,
  written_by, source_event_id, trust, quarantined_at, quarantine_reason)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.thread_id, r.task_type, r.title, r.summary, r.key_steps,
  r.outcome, r.artifacts, r.confidence, r.completed_at, r.valid_from, r.valid_until, r.created_at, r.deleted_at,
  r.written_by, r.source_event_id, r.trust, r.quarantined_at, r.quarantine_reason
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, thread_id text,
  task_type text, title text, summary text, key_steps jsonb, outcome text, artifacts jsonb,
  confidence double precision, completed_at timestamptz, valid_from timestamptz, valid_until timestamptz,
  created_at timestamptz, deleted_at timestamptz, written_by text, source_event_id text, trust text,
  quarantined_at timestamptz, quarantine_reason text)
order by e.place
