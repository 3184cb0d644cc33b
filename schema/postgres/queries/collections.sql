-- Document collections that have a current document.
-- binds: agent_id, at_time
select distinct d.collection from memory.knowledge_base_document d
where (d.agent_id is null or d.agent_id = $1) and d.deleted_at is null and d.quarantined_at is null
  and d.valid_from <= $2::timestamptz and (d.valid_until is null or d.valid_until > $2::timestamptz)
order by d.collection
limit 200
