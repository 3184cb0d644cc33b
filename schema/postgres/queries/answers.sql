-- Newest first. $1 refs that an answer may cite, $2 runs that it may be given in, $3 true for any agent, $4 agent
select m.event_id, m.tenant_id, m.user_id, m.agent_id, m.thread_id, m.run_id, m.created_at, a.cites
from (
  select s.derived_id as event_id, jsonb_build_array(s.source_type, s.source_id, s.source_version) as cites
  from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
  join memory.context_source_ref s
    on s.tenant_id = memory.current_tenant() and s.source_type = r.type and s.source_id = r.id
      and s.source_version = r.version and s.relation = 'mentions' and s.derived_type = 'conversation'
  union
  select c.event_id, null from memory.conversation_memory c
  where c.tenant_id = memory.current_tenant() and c.run_id = any ($2::text[]) and c.event_type = 'model_msg'
) a
join memory.conversation_memory m
  on m.tenant_id = memory.current_tenant() and m.event_id = a.event_id and m.event_type = 'model_msg'
where m.deleted_at is null and ($3::boolean or m.agent_id is not distinct from $4)
order by m.event_order desc, a.cites
limit 2000
