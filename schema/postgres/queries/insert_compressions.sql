-- $1 compressions; what stands already under the same source, model, prompt and number of tokens stays
insert into memory.context_compression (tenant_id, id, user_id, source_type, source_id, source_version, source_hash,
  text, tokens, model, prompt_version, created_at)
select memory.current_tenant(), c.id, memory.context_user(), c.source_type, c.source_id, c.source_version,
  c.source_hash, c.text, c.tokens, c.model, c.prompt_version, clock_timestamp()
from jsonb_to_recordset($1::jsonb) as c (id text, source_type text, source_id text, source_version integer,
  source_hash text, text text, tokens integer, model text, prompt_version text)
on conflict do nothing
