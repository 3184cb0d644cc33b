-- $1 rows as export_tools gives them, in their order
insert into memory.toolbox_memory (tenant_id, id, user_id, agent_id, tool_name, tool_schema, tool_handler,
  access_policy, usage_notes, version, superseded_by, valid_from, valid_until, created_at, deleted_at, written_by,
  source_event_id, trust, quarantined_at, quarantine_reason)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.tool_name, r.tool_schema, r.tool_handler, r.access_policy,
  r.usage_notes, r.version, r.superseded_by, r.valid_from, r.valid_until, r.created_at, r.deleted_at, r.written_by,
  r.source_event_id, r.trust, r.quarantined_at, r.quarantine_reason
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, tool_name text,
  tool_schema jsonb, tool_handler text, access_policy jsonb, usage_notes text, version integer, superseded_by text,
  valid_from timestamptz, valid_until timestamptz, created_at timestamptz, deleted_at timestamptz, written_by text,
  source_event_id text, trust text, quarantined_at timestamptz, quarantine_reason text)
order by e.place
