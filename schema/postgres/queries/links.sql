-- Links that begin or end at these refs, end by end: each is a plain join, which costs next to nothing where there are no
-- links.
-- binds: refs
with r as (
  select * from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
)
select l.source_type, l.source_id, l.source_version, l.target_type, l.target_id, l.target_version, l.relation
from r join memory.memory_link l
  on l.tenant_id = memory.current_tenant()
    and l.source_type = r.type and l.source_id = r.id and l.source_version = r.version
union
select l.source_type, l.source_id, l.source_version, l.target_type, l.target_id, l.target_version, l.relation
from r join memory.memory_link l
  on l.tenant_id = memory.current_tenant()
    and l.target_type = r.type and l.target_id = r.id and l.target_version = r.version
order by 1, 2, 3, 4, 5, 6, 7
limit 5000
