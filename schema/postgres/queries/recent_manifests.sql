-- The newest manifests of a principal.
-- binds: row_limit, agent_id
select m.event_id as id, m.manifest_id, m.payload -> 'manifest' as manifest, m.created_at,
  (
    select r.payload from memory.conversation_memory r
    where r.tenant_id = m.tenant_id and r.manifest_id = m.manifest_id and r.event_type = 'request'
      and r.user_id = m.user_id and r.deleted_at is null
    order by r.event_order limit 1
  ) as request
from memory.conversation_memory m
where m.tenant_id = memory.current_tenant() and m.event_type = 'context_manifest'
  and m.user_id = memory.context_user()
  and m.agent_id is not distinct from $2 and m.deleted_at is null
order by m.event_order desc
limit least($1::integer, 500)
