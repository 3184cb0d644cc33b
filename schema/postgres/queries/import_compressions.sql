-- $1 rows as export_compressions gives them, in their order
insert into memory.context_compression (tenant_id, id, user_id, agent_id, thread_id, source_type, source_id,
  source_version, source_hash, text, tokens, model, prompt_version, created_at)
select memory.current_tenant(), r.id, r.user_id, r.agent_id, r.thread_id, r.source_type, r.source_id, r.source_version,
  r.source_hash, r.text, r.tokens, r.model, r.prompt_version, r.created_at
from jsonb_array_elements($1::jsonb) with ordinality as e (line, place)
cross join lateral jsonb_to_record(e.line) as r (id text, user_id text, agent_id text, thread_id text,
  source_type text, source_id text, source_version integer, source_hash text, text text, tokens integer, model text,
  prompt_version text, created_at timestamptz)
order by e.place
