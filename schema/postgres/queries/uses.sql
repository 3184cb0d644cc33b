-- From versions to what was derived from them, however far, and to the manifests that used any of it. Edges of
-- provenance lead the whole way: each step is a look-up of its own (`offset 0`), and no event is read that none leads
-- to. A document stands for its chunks. $1 refs, $2 true for any agent, $3 agent
with recursive derived as (
  select r.type, r.id, r.version, r.type as root_type, r.id as root_id, r.version as root_version
  from jsonb_to_recordset($1::jsonb) as r (type text collate "C", id text collate "C", version integer)
  union
  select 'chunk', c.id, 1, r.type, r.id, r.version
  from jsonb_to_recordset($1::jsonb) as r (type text collate "C", id text collate "C", version integer)
  join memory.knowledge_base_chunk c
    on c.tenant_id = memory.current_tenant() and r.type = 'document' and c.document_id = r.id
  union
  select s.derived_type, s.derived_id, s.derived_version, d.root_type, d.root_id, d.root_version
  from derived d
  cross join lateral (
    select e.derived_type, e.derived_id, e.derived_version from memory.context_source_ref e
    where e.tenant_id = memory.current_tenant() and e.source_type = d.type and e.source_id = d.id
      and e.source_version = d.version and e.relation in ('derived_from', 'mentions')
    offset 0
  ) s
)
select m.event_id, m.tenant_id, m.user_id, m.agent_id, m.thread_id, m.run_id, m.created_at,
  m.payload -> 'manifest' ->> 'kind' as kind, d.root_type, d.root_id, d.root_version,
  d.type as via_type, d.id as via_id, d.version as via_version, entry.value as entry, entry.as_correction
from derived d
cross join lateral (
  select e.derived_id as manifest_id, jsonb_build_array(d.type, d.id, d.version) as ref
  from memory.context_source_ref e
  where e.tenant_id = memory.current_tenant() and e.source_type = d.type and e.source_id = d.id
    and e.source_version = d.version and e.relation = 'used_in_window'
  offset 0
) u
cross join lateral (
  select c.* from memory.conversation_memory c
  where c.tenant_id = memory.current_tenant() and c.event_id = u.manifest_id and c.event_type = 'context_manifest'
    and c.deleted_at is null and ($2::boolean or c.agent_id is not distinct from $3)
  offset 0
) m
cross join lateral (
  select item.value, item.value -> 'ref' <> u.ref as as_correction
  from jsonb_array_elements(m.payload -> 'manifest' -> 'memories') item
  where item.value -> 'ref' = u.ref
    or item.value -> 'annotation_refs' @> jsonb_build_array(jsonb_build_object('current', u.ref))
) entry
order by m.event_order desc, d.root_type, d.root_id, d.type, d.id, entry.as_correction
limit 2000
