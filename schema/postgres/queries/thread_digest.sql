-- The digest of a thread that holds at a time. $1 agent, $2 thread, $3 evaluation time, or null: now
select s.* from memory.summarization_memory s
where s.tenant_id = memory.current_tenant() and s.user_id = memory.context_user() and s.thread_id = $2
  and s.agent_id is not distinct from $1 and s.task_type = 'thread_digest'
  and s.deleted_at is null and s.quarantined_at is null
  and s.valid_from <= coalesce($3::timestamptz, clock_timestamp())
  and (s.valid_until is null or s.valid_until > coalesce($3::timestamptz, clock_timestamp()))
order by s.valid_from desc, s.id
limit 1
