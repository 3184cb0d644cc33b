-- Newest first; anyone: of any principal of the tenant; since may be null.
-- binds: anyone, agent_id, since, row_limit
select m.event_id as id from memory.conversation_memory m
where m.tenant_id = memory.current_tenant() and m.event_type = 'context_manifest' and m.deleted_at is null
  and ($1::boolean or m.user_id = memory.context_user() and m.agent_id is not distinct from $2)
  and ($3::timestamptz is null or m.created_at >= $3::timestamptz)
order by m.event_order desc
limit $4::integer
