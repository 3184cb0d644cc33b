-- Rows current at the evaluation time.
-- binds: agent_id, at_time
select t.* from memory.toolbox_memory t
where (t.agent_id is null or t.agent_id = $1)
  and t.deleted_at is null and t.quarantined_at is null
  and t.valid_from <= $2::timestamptz and (t.valid_until is null or t.valid_until > $2::timestamptz)
order by t.id
limit 5000
