-- A manifest with all that was recorded beside it; a tombstone stands for one that was erased. $1 manifest,
-- $2 true for any principal of the tenant, $3 agent
select m.event_id as id, m.event_type, m.tenant_id, m.user_id, m.agent_id, m.thread_id, m.created_at, m.deleted_at,
  m.payload -> 'manifest' as manifest,
  (
    select r.payload from memory.conversation_memory r
    where r.tenant_id = m.tenant_id and r.manifest_id = m.manifest_id and r.event_type = 'request'
      and r.user_id = m.user_id and r.deleted_at is null
    order by r.event_order limit 1
  ) as request,
  (
    select r.payload from memory.conversation_memory r
    where r.tenant_id = m.tenant_id and r.manifest_id = m.manifest_id and r.event_type = 'retrieval'
      and r.user_id = m.user_id and r.deleted_at is null
    order by r.event_order limit 1
  ) as retrieval
from memory.conversation_memory m
where m.tenant_id = memory.current_tenant() and m.manifest_id = $1
  and m.event_type in ('context_manifest', 'tombstone')
  and ($2::boolean or m.user_id = memory.context_user()
    and (m.agent_id is not distinct from $3 or m.event_type = 'tombstone' and m.agent_id is null))
order by m.event_type, m.event_order
limit 1
