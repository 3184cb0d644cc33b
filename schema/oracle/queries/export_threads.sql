-- The tenant's rows, each as the text of a JSON object, in the order of their keys.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT JSON_OBJECT('user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id, 'thread_id' VALUE t.thread_id,
  'next_turn_index' VALUE t.next_turn_index, 'created_at' VALUE TO_CHAR(t.created_at)
  RETURNING CLOB) AS "ROW"
FROM mem_owner.thread AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
ORDER BY t.user_id, t.agent_key, t.thread_id
