-- The tenant's rows, each as the text of a JSON object, in the order of their keys.
-- Without those whose source is gone.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT JSON_OBJECT('id' VALUE t.id, 'user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id,
  'thread_id' VALUE t.thread_id,
  'source_type' VALUE t.source_type, 'source_id' VALUE t.source_id, 'source_version' VALUE t.source_version,
  'source_hash' VALUE t.source_hash, 'text' VALUE t.text, 'tokens' VALUE t.tokens, 'model' VALUE t.model,
  'prompt_version' VALUE t.prompt_version, 'created_at' VALUE TO_CHAR(t.created_at)
  RETURNING CLOB) AS "ROW"
FROM mem_owner.context_compression AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
  AND EXISTS (
    SELECT 1 FROM mem_owner.known_version v
    WHERE v.tenant_id = :tenant_id AND (v.user_id IS NULL OR v.user_id = :user_id OR :user_id IS NULL)
      AND v.type = t.source_type AND v.id = t.source_id AND v.version = t.source_version)
ORDER BY t.id
