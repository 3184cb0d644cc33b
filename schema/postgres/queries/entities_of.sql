-- Current entities of these subjects, and of these predicates where any are given.
-- binds: subjects, predicates, agent_id, thread_id, at_time
select e.* from memory.entity_memory e
where e.subject = any ($1::text[]) and ($2::text[] is null or e.predicate = any ($2::text[]))
  and (e.agent_id is null or e.agent_id = $3) and (e.thread_id is null or e.thread_id = $4)
  and e.content is not null and e.deleted_at is null
  and e.valid_from <= $5::timestamptz and (e.valid_until is null or e.valid_until > $5::timestamptz)
order by e.id
limit 2000
