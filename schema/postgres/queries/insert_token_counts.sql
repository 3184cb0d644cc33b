-- A count that stands already takes the new figure.
-- binds: counts
insert into memory.token_count (tenant_id, user_id, kind, id, version, tier, renderer_version, encoding, content_hash,
  tokens)
select memory.current_tenant(), memory.context_user(), c.type, c.id, c.version, c.tier, c.renderer_version,
  c.encoding, c.content_hash, c.tokens
from jsonb_to_recordset($1::jsonb) as c (type text, id text, version integer, tier text, renderer_version text,
  encoding text, content_hash text, tokens integer)
on conflict (tenant_id, kind, id, version, tier, renderer_version, encoding, user_key)
do update set tokens = excluded.tokens, content_hash = excluded.content_hash
