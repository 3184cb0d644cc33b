-- $1 rows as export_workflows gives them, in their order
insert into memory.workflow_memory (tenant_id, id, user_id, agent_id, workflow_name, description, steps,
  preconditions, expected_outcome, success_count, failure_count, confidence, version, superseded_by, valid_from,
  valid_until, created_at, deleted_at, written_by, source_event_id, trust, quarantined_at, quarantine_reason)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.workflow_name, r.description, r.steps, r.preconditions,
  r.expected_outcome, r.success_count, r.failure_count, r.confidence, r.version, r.superseded_by, r.valid_from,
  r.valid_until, r.created_at, r.deleted_at, r.written_by, r.source_event_id, r.trust, r.quarantined_at,
  r.quarantine_reason
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, workflow_name text,
  description text, steps jsonb, preconditions text, expected_outcome text, success_count integer,
  failure_count integer, confidence double precision, version integer, superseded_by text, valid_from timestamptz,
  valid_until timestamptz, created_at timestamptz, deleted_at timestamptz, written_by text, source_event_id text,
  trust text, quarantined_at timestamptz, quarantine_reason text)
order by e.place
