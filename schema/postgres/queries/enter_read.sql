-- Sets the trusted context and records where the snapshot stands, in the statement that takes the snapshot: the clock
-- is read after it, so no visible row was stamped later.
-- binds: tenant_id, user_id, agent_id
select
  set_config('memory.tenant_id', $1, true) as tenant_id,
  set_config('memory.user_id', $2, true) as user_id,
  set_config('memory.agent_id', $3, true) as agent_id,
  pg_current_snapshot()::text as scn,
  to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now,
  (select value from memory.store_setting where name = 'incarnation')
    || '/' || (select system_identifier::text from pg_control_system())
    || '/' || (select timeline_id::text from pg_control_checkpoint()) as incarnation
