-- Locks the thread, creating it: two calls that find no run must not both open one.
-- binds: agent_id, thread_id
-- context: tenant_id, user_id
DECLARE
  v_index NUMBER;
BEGIN
  v_index := mem_owner.turn_counter.take(:tenant_id, :user_id, :agent_id, :thread_id, 0);
END;
