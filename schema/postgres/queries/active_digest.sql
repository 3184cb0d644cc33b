-- The digest that a new one would replace; the thread is locked. $1 agent, $2 thread
select s.id, s.quarantined_at is not null as is_quarantined from memory.summarization_memory s
where s.tenant_id = memory.current_tenant() and s.user_id = memory.context_user() and s.thread_id = $2
  and s.agent_id is not distinct from $1 and s.task_type = 'thread_digest'
  and s.deleted_at is null and s.valid_until is null
