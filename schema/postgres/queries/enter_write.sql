-- binds: tenant_id, user_id, agent_id
select
  set_config('memory.tenant_id', $1, true) as tenant_id,
  set_config('memory.user_id', $2, true) as user_id,
  set_config('memory.agent_id', $3, true) as agent_id
