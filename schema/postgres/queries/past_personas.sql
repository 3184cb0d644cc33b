-- As of a snapshot. $1 snapshot, $2 user, $3 agent, $4 thread, $5 evaluation time
select p.* from memory.persona_memory_as_of($1::pg_snapshot) p
where p.tenant_id = memory.current_tenant() and (p.user_id is null or p.user_id = $2)
  and (p.agent_id is null or p.agent_id = $3) and (p.thread_id is null or p.thread_id = $4)
  and p.deleted_at is null and p.quarantined_at is null
  and p.valid_from <= $5::timestamptz and (p.valid_until is null or p.valid_until > $5::timestamptz)
order by p.id
limit 5000
