-- Sets the trusted context. Every write of a tenant holds its lock shared, so that an erasure, which holds it alone,
-- finds all that is derived or is waited for.
select
  set_config('memory.tenant_id', $1, true) as tenant_id,
  set_config('memory.user_id', $2, true) as user_id,
  set_config('memory.agent_id', $3, true) as agent_id,
  pg_advisory_xact_lock_shared(memory.tenant_lock($1)) as lock
