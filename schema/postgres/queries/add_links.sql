-- A link is as private as the more private of its ends.
-- binds: new_links
insert into memory.memory_link (tenant_id, user_id, source_type, source_id, source_version, target_type, target_id,
  target_version, relation, metadata, created_at)
select memory.current_tenant(), coalesce(s.user_id, t.user_id), l.source_type, l.source_id, l.source_version,
  l.target_type, l.target_id, l.target_version, l.relation, '{}'::jsonb, clock_timestamp()
from jsonb_to_recordset($1::jsonb) as l (source_type text, source_id text, source_version integer,
  target_type text, target_id text, target_version integer, relation text)
left join memory.known_version s
  on s.tenant_id = memory.current_tenant() and s.type = l.source_type and s.id = l.source_id
    and s.version = l.source_version
left join memory.known_version t
  on t.tenant_id = memory.current_tenant() and t.type = l.target_type and t.id = l.target_id
    and t.version = l.target_version
on conflict do nothing
