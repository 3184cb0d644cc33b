-- Every version, whatever its conditions and its lifecycle.
-- binds: subjects, predicate, agent_id, thread_id
select e.* from memory.entity_memory e
where e.subject = any ($1::text[]) and e.predicate = $2
  and (e.agent_id is null or e.agent_id = $3) and (e.thread_id is null or e.thread_id = $4)
  and e.content is not null
order by e.id
limit 500
