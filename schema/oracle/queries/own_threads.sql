-- The user's threads with this agent, by name, from after a name (none: from the first), with the number of the newest
-- turn.
-- binds: agent_id, after_name, row_limit number
-- context: tenant_id, user_id, scn
SELECT t.thread_id, t.next_turn_index - 1 AS turns
FROM mem_owner.thread AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND t.user_id = :user_id
  AND (t.agent_id = :agent_id OR t.agent_id IS NULL AND :agent_id IS NULL)
  AND (:after_name IS NULL OR t.thread_id > :after_name) AND t.next_turn_index > 1
ORDER BY t.thread_id
FETCH FIRST :row_limit ROWS ONLY
