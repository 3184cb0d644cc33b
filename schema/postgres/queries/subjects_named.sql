-- Subjects that have one of these names, each with every name it has in scope.
-- binds: names, agent_id, thread_id, at_time
with visible as (
  select n.subject, n.name from memory.memory_name n
  where n.subject in (
      select m.subject from memory.memory_name m
      where m.name = any ($1::text[])
        and (m.agent_id is null or m.agent_id = $2) and (m.thread_id is null or m.thread_id = $3)
        and not m.quarantined and m.valid_from <= $4::timestamptz
        and (m.valid_until is null or m.valid_until > $4::timestamptz))
    and (n.agent_id is null or n.agent_id = $2) and (n.thread_id is null or n.thread_id = $3)
    and not n.quarantined and n.valid_from <= $4::timestamptz
    and (n.valid_until is null or n.valid_until > $4::timestamptz)
)
select v.subject, array_agg(distinct v.name order by v.name)::text[] as names
from visible v group by v.subject order by v.subject
limit 500
