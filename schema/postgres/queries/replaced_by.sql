-- The version itself, then those that it replaced, newest first. $1 type, $2 id, $3 version or null
with recursive chain as (
  select v.type, v.id, v.version, 0 as step from memory.known_version v
  where v.tenant_id = memory.current_tenant() and v.type = $1 and v.id = $2
    and ($3::integer is null or v.version = $3::integer)
  union
  select before.type, before.id, before.version, c.step + 1
  from chain c
  cross join lateral (
    select 'guideline'::text collate "C" as type, g.id, g.version from memory.guideline_memory g
    where c.type = 'guideline' and g.tenant_id = memory.current_tenant() and g.superseded_by = c.id
    union all
    select 'toolbox', t.id, t.version from memory.toolbox_memory t
    where c.type = 'toolbox' and t.tenant_id = memory.current_tenant() and t.superseded_by = c.id
    union all
    select 'entity', e.id, e.version from memory.entity_memory e
    where c.type = 'entity' and e.tenant_id = memory.current_tenant() and e.superseded_by = c.id
    union all
    select 'workflow', w.id, w.version from memory.workflow_memory w
    where c.type = 'workflow' and w.tenant_id = memory.current_tenant() and w.superseded_by = c.id
    union all
    select 'document', d.id, d.version from memory.knowledge_base_document d
    where c.type = 'document' and d.tenant_id = memory.current_tenant() and d.superseded_by = c.id
  ) before
  where c.step < 1000
)
select c.type, c.id, c.version from chain c order by c.step, c.id limit 1000
