-- Issues ids with their refs.
-- binds: run_id, issued
insert into memory.issued_memory (tenant_id, run_id, citation_id, user_id, agent_id, thread_id, ref_type, ref_id,
  ref_version, issued_at)
select r.tenant_id, r.run_id, i.citation_id, r.user_id, r.agent_id, r.thread_id, i.type, i.id, i.version,
  clock_timestamp()
from memory.context_run r
cross join jsonb_to_recordset($2::jsonb) as i (citation_id text, type text, id text, version integer)
where r.tenant_id = memory.current_tenant() and r.run_id = $1 and r.user_id = memory.context_user()
on conflict (tenant_id, run_id, citation_id) do nothing
