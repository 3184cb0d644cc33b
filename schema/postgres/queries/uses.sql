-- From versions to what was derived from them, however far, and to the manifests that used any of it: edges of
-- provenance lead the whole way, and no event is read that none leads to. A document stands for its chunks.
-- $1 refs, $2 true for any agent, $3 agent
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
  join memory.context_source_ref s
    on s.tenant_id = memory.current_tenant() and s.source_type = d.type and s.source_id = d.id
      and s.source_version = d.version
  where s.relation in ('derived_from', 'mentions')
)
select m.event_id, m.tenant_id, m.user_id, m.agent_id, m.thread_id, m.run_id, m.created_at,
  m.payload -> 'manifest' ->> 'kind' as kind, d.root_type, d.root_id, d.root_version,
  d.type as via_type, d.id as via_id, d.version as via_version, entry.value as entry, entry.as_correction
from (select *, jsonb_build_array(type, id, version) as ref from derived) d
join memory.context_source_ref u
  on u.tenant_id = memory.current_tenant() and u.source_type = d.type and u.source_id = d.id
    and u.source_version = d.version and u.relation = 'used_in_window'
join memory.conversation_memory m
  on m.tenant_id = u.tenant_id and m.event_id = u.derived_id and m.event_type = 'context_manifest'
cross join lateral (
  select item.value, item.value -> 'ref' <> d.ref as as_correction
  from jsonb_array_elements(m.payload -> 'manifest' -> 'memories') item
  where item.value -> 'ref' = d.ref
    or item.value -> 'annotation_refs' @> jsonb_build_array(jsonb_build_object('current', d.ref))
) entry
where m.deleted_at is null and ($2::boolean or m.agent_id is not distinct from $3)
order by m.event_order desc, d.root_type, d.root_id, d.type, d.id, entry.as_correction
limit 2000
