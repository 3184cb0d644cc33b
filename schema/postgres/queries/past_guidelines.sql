-- As of a snapshot. $1 snapshot, $2 user, $3 agent, $4 thread, $5 evaluation time
select g.* from memory.guideline_memory_as_of($1::pg_snapshot) g
where g.tenant_id = memory.current_tenant() and (g.user_id is null or g.user_id = $2)
  and (g.agent_id is null or g.agent_id = $3) and (g.thread_id is null or g.thread_id = $4)
  and g.deleted_at is null and g.quarantined_at is null
  and g.valid_from <= $5::timestamptz and (g.valid_until is null or g.valid_until > $5::timestamptz)
order by g.id
limit 5000
