-- Newest first; each step is a look-up of its own, as in uses.sql. $1 refs that an answer may cite, $2 runs that it may
-- be given in, $3 true for any agent, $4 agent
select m.event_id, m.tenant_id, m.user_id, m.agent_id, m.thread_id, m.run_id, m.created_at, a.cites
from (
  select s.derived_id as event_id, jsonb_build_array(r.type, r.id, r.version) as cites
  from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
  cross join lateral (
    select e.derived_id from memory.context_source_ref e
    where e.tenant_id = memory.current_tenant() and e.source_type = r.type and e.source_id = r.id
      and e.source_version = r.version and e.relation = 'mentions' and e.derived_type = 'conversation'
    offset 0
  ) s
  union
  select c.event_id, null from unnest($2::text[]) as run (id)
  cross join lateral (
    select e.event_id from memory.conversation_memory e
    where e.tenant_id = memory.current_tenant() and e.run_id = run.id and e.event_type = 'model_msg'
    offset 0
  ) c
) a
cross join lateral (
  select c.* from memory.conversation_memory c
  where c.tenant_id = memory.current_tenant() and c.event_id = a.event_id and c.event_type = 'model_msg'
    and c.deleted_at is null and ($3::boolean or c.agent_id is not distinct from $4)
  offset 0
) m
order by m.event_order desc, a.cites
limit 2000
