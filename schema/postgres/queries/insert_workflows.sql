-- New rows; those whose id exists stay as they are. Returns the ids of those that did not.
-- binds: new_rows
insert into memory.workflow_memory (tenant_id, id, user_id, agent_id, workflow_name, description, steps,
  preconditions, expected_outcome, success_count, failure_count, confidence, version, superseded_by, valid_from,
  valid_until, created_at, written_by, source_event_id, trust)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.workflow_name, r.description, r.steps, r.preconditions,
  r.expected_outcome, r.success_count, r.failure_count, r.confidence, r.version, r.superseded_by,
  coalesce(r.valid_from, clock_timestamp()), r.valid_until, coalesce(r.created_at, clock_timestamp()), r.written_by,
  r.source_event_id, r.trust
from jsonb_to_recordset($1::jsonb) as r (id text, user_id text, agent_id text, workflow_name text, description text,
  steps jsonb, preconditions text, expected_outcome text, success_count integer, failure_count integer,
  confidence double precision, version integer, superseded_by text, valid_from timestamptz, valid_until timestamptz,
  created_at timestamptz, written_by text, source_event_id text, trust text)
on conflict (tenant_id, id) do nothing
returning id
