-- derived_from and mentions, followed to any depth. Key by key: joined as a table, all that was ever recorded is read.
-- binds: refs
with recursive walk as (
  select s.derived_type, s.derived_id, s.derived_version, s.source_type, s.source_id, s.source_version, s.relation
  from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
  cross join lateral (
    select * from memory.context_source_ref k
    where k.tenant_id = memory.current_tenant() and k.derived_type = r.type and k.derived_id = r.id
      and k.derived_version = r.version
    offset 0
  ) s
  where s.relation in ('derived_from', 'mentions')
  union
  select s.derived_type, s.derived_id, s.derived_version, s.source_type, s.source_id, s.source_version, s.relation
  from walk w
  cross join lateral (
    select * from memory.context_source_ref k
    where k.tenant_id = memory.current_tenant() and k.derived_type = w.source_type and k.derived_id = w.source_id
      and k.derived_version = w.source_version
    offset 0
  ) s
  where s.relation in ('derived_from', 'mentions')
)
select * from walk
order by derived_type, derived_id, derived_version, source_type, source_id, source_version, relation
limit 20000
