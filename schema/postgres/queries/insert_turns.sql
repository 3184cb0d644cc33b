-- Turns with their position in the batch. New ones get the next indexes of their threads, in that order.
-- binds: new_turns
with turn as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position integer, id text, user_id text, agent_id text,
    thread_id text, run_id text, event_type text, role text, payload jsonb, created_at timestamptz, written_by text,
    source_event_id text, trust text)
  where not exists (
    select from memory.conversation_memory c where c.tenant_id = memory.current_tenant() and c.event_id = r.id)
), advanced as (
  insert into memory.thread (tenant_id, user_id, agent_id, thread_id, next_turn_index, created_at)
  select memory.current_tenant(), t.user_id, t.agent_id, t.thread_id, 1 + count(*), clock_timestamp()
  from turn t group by t.user_id, t.agent_id, t.thread_id
  order by t.user_id, t.agent_id, t.thread_id
  on conflict (tenant_id, user_id, agent_key, thread_id)
  do update set next_turn_index = thread.next_turn_index + excluded.next_turn_index - 1
  returning user_id, agent_key, thread_id, next_turn_index
), numbered as (
  select t.*,
    row_number() over (partition by t.user_id, t.agent_id, t.thread_id order by t.position desc) as from_end
  from turn t
)
insert into memory.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, turn_index,
  event_type, role, payload, created_at, written_by, source_event_id, trust)
select memory.current_tenant(), n.id, n.user_id, n.agent_id, n.thread_id, n.run_id, a.next_turn_index - n.from_end,
  n.event_type, n.role, n.payload, n.created_at, n.written_by, n.source_event_id, n.trust
from numbered n
join advanced a
  on a.user_id = n.user_id and a.agent_key = coalesce(n.agent_id, '') and a.thread_id = n.thread_id
order by n.position
returning event_id as id
