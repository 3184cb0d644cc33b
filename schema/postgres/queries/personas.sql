-- Rows current at the evaluation time.
-- binds: agent_id, thread_id, at_time
select p.* from memory.persona_memory p
where (p.agent_id is null or p.agent_id = $1) and (p.thread_id is null or p.thread_id = $2)
  and p.deleted_at is null and p.quarantined_at is null
  and p.valid_from <= $3::timestamptz and (p.valid_until is null or p.valid_until > $3::timestamptz)
order by p.id
limit 5000
