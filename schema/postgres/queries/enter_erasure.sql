-- The operator's context for a statement that takes the tenant's lock alone, and may take long: at most ten minutes,
-- where the server bounds statements. $1 tenant
select
  set_config('memory.tenant_id', $1, true) as tenant_id,
  set_config('memory.user_id', '', true) as user_id,
  set_config('memory.agent_id', '', true) as agent_id,
  set_config('statement_timeout', '600000', true) as statement_timeout
