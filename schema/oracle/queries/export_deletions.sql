-- The tenant's rows, each as the text of a JSON object, in the order of their keys.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT JSON_OBJECT('id' VALUE t.id, 'user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id,
  'thread_id' VALUE t.thread_id,
  'deletion_scope' VALUE t.deletion_scope, 'reason' VALUE t.reason, 'deleted_at' VALUE TO_CHAR(t.deleted_at)
  RETURNING CLOB) AS "ROW"
FROM mem_owner.deletion_events AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
ORDER BY t.id
