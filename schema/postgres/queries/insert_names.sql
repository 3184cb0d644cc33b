-- Entries: ref, names.
-- binds: entries
insert into memory.memory_name (tenant_id, kind, id, version, name, subject, user_id, agent_id, thread_id, valid_from,
  valid_until, quarantined)
select i.tenant_id, i.kind, i.id, i.version, n.name, i.subject, i.user_id, i.agent_id, i.thread_id, i.valid_from,
  i.valid_until, i.quarantined
from jsonb_to_recordset($1::jsonb) as e (type text, id text, version integer, names text[])
join memory.indexable i
  on i.tenant_id = memory.current_tenant() and i.kind = e.type and i.id = e.id and i.version = e.version
cross join lateral (select distinct u.name from unnest(e.names) as u (name)) n
