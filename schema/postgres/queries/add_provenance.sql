-- An end user's edges are theirs; an operator's belong to whom the derived row belongs.
-- binds: edges
insert into memory.context_source_ref (tenant_id, user_id, derived_type, derived_id, derived_version, source_type,
  source_id, source_version, relation, created_at)
select memory.current_tenant(),
  coalesce(memory.context_user(), memory.owner_of(e.derived_type, e.derived_id, e.derived_version)), e.derived_type,
  e.derived_id, e.derived_version, e.source_type, e.source_id, e.source_version, e.relation, clock_timestamp()
from jsonb_to_recordset($1::jsonb) as e (derived_type text, derived_id text, derived_version integer,
  source_type text, source_id text, source_version integer, relation text)
on conflict do nothing
