-- $1 agent, $2 thread, $3 evaluation time
select g.* from memory.guideline_memory g
where (g.agent_id is null or g.agent_id = $1) and (g.thread_id is null or g.thread_id = $2)
  and g.deleted_at is null and g.quarantined_at is null
  and g.valid_from <= $3::timestamptz and (g.valid_until is null or g.valid_until > $3::timestamptz)
order by g.id
limit 5000
