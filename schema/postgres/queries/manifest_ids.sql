-- Newest first. $1 true for any principal of the tenant, $2 agent, $3 since, $4 limit
select m.event_id as id from memory.conversation_memory m
where m.tenant_id = memory.current_tenant() and m.event_type = 'context_manifest' and m.deleted_at is null
  and ($1::boolean or m.user_id = memory.context_user() and m.agent_id is not distinct from $2)
  and ($3::timestamptz is null or m.created_at >= $3::timestamptz)
order by m.event_order desc
limit $4::integer
