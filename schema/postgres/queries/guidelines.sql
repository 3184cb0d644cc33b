-- Rows current at the evaluation time.
-- binds: agent_id, thread_id, at_time
select g.* from memory.guideline_memory g
where (g.agent_id is null or g.agent_id = $1) and (g.thread_id is null or g.thread_id = $2)
  and g.deleted_at is null and g.quarantined_at is null
  and g.valid_from <= $3::timestamptz and (g.valid_until is null or g.valid_until > $3::timestamptz)
order by g.id
limit 5000
