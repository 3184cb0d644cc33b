-- As of a snapshot. $1 snapshot, $2 refs, $3 user
with recursive walk as (
  select s.derived_type, s.derived_id, s.derived_version, s.source_type, s.source_id, s.source_version, s.relation
  from jsonb_to_recordset($2::jsonb) as r (type text, id text, version integer)
  join memory.context_source_ref_as_of($1::pg_snapshot) s
    on s.tenant_id = memory.current_tenant() and s.derived_type = r.type and s.derived_id = r.id
      and s.derived_version = r.version
  where s.relation in ('derived_from', 'mentions') and (s.user_id is null or s.user_id = $3)
  union
  select s.derived_type, s.derived_id, s.derived_version, s.source_type, s.source_id, s.source_version, s.relation
  from walk w
  join memory.context_source_ref_as_of($1::pg_snapshot) s
    on s.tenant_id = memory.current_tenant() and s.derived_type = w.source_type and s.derived_id = w.source_id
      and s.derived_version = w.source_version
  where s.relation in ('derived_from', 'mentions') and (s.user_id is null or s.user_id = $3)
)
select * from walk
order by derived_type, derived_id, derived_version, source_type, source_id, source_version, relation
limit 20000
