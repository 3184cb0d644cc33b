-- Any visible copy, a shared one first.
-- binds: refs, renderer_version, encoding
select distinct on (t.kind, t.id, t.version, t.tier) t.kind as type, t.id, t.version, t.tier, t.tokens
from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
join memory.token_count t
  on t.tenant_id = memory.current_tenant() and t.kind = r.type and t.id = r.id and t.version = r.version
where t.renderer_version = $2 and t.encoding = $3
order by t.kind, t.id, t.version, t.tier, t.user_key
