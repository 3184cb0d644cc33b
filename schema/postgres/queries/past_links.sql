-- As of a snapshot. $1 snapshot, $2 refs, $3 user
select l.source_type, l.source_id, l.source_version, l.target_type, l.target_id, l.target_version, l.relation
from jsonb_to_recordset($2::jsonb) as r (type text, id text, version integer)
join memory.memory_link_as_of($1::pg_snapshot) l
  on l.tenant_id = memory.current_tenant() and l.source_type = r.type and l.source_id = r.id
    and l.source_version = r.version
where l.user_id is null or l.user_id = $3
union
select l.source_type, l.source_id, l.source_version, l.target_type, l.target_id, l.target_version, l.relation
from jsonb_to_recordset($2::jsonb) as r (type text, id text, version integer)
join memory.memory_link_as_of($1::pg_snapshot) l
  on l.tenant_id = memory.current_tenant() and l.target_type = r.type and l.target_id = r.id
    and l.target_version = r.version
where l.user_id is null or l.user_id = $3
order by 1, 2, 3, 4, 5, 6, 7
limit 5000
