-- Document collections that have a current document. Name by name, each found by the one before it: of many documents
-- few are read.
-- binds: agent_id, at_time
with recursive named as (
  select ''::text collate "C" as collection, 0 as place
  union all
  select f.collection, n.place + 1
  from named n
  cross join lateral (
    select d.collection from memory.knowledge_base_document d
    where d.tenant_id = memory.current_tenant() and d.collection > n.collection
      and (d.agent_id is null or d.agent_id = $1) and d.deleted_at is null and d.quarantined_at is null
      and d.valid_from <= $2::timestamptz and (d.valid_until is null or d.valid_until > $2::timestamptz)
    order by d.collection limit 1
  ) f
  where n.place < 200
)
select collection from named where place > 0 order by collection
