-- As of a snapshot. $1 snapshot, $2 user, $3 agent, $4 evaluation time
select t.* from memory.toolbox_memory_as_of($1::pg_snapshot) t
where t.tenant_id = memory.current_tenant() and (t.user_id is null or t.user_id = $2)
  and (t.agent_id is null or t.agent_id = $3)
  and t.deleted_at is null and t.quarantined_at is null
  and t.valid_from <= $4::timestamptz and (t.valid_until is null or t.valid_until > $4::timestamptz)
order by t.id
limit 5000
