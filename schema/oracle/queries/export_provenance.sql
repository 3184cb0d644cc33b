-- The tenant's rows, each as the text of a JSON object, in the order of their keys.
-- Without those of which an end is gone.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT JSON_OBJECT('user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id, 'thread_id' VALUE t.thread_id,
  'derived_type' VALUE t.derived_type, 'derived_id' VALUE t.derived_id, 'derived_version' VALUE t.derived_version,
  'source_type' VALUE t.source_type, 'source_id' VALUE t.source_id, 'source_version' VALUE t.source_version,
  'relation' VALUE t.relation, 'created_at' VALUE TO_CHAR(t.created_at)
  RETURNING CLOB) AS "ROW"
FROM mem_owner.context_source_ref AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
  AND EXISTS (
    SELECT 1 FROM mem_owner.known_version v
    WHERE v.tenant_id = :tenant_id AND (v.user_id IS NULL OR v.user_id = :user_id OR :user_id IS NULL)
      AND v.type = t.derived_type AND v.id = t.derived_id AND v.version = t.derived_version)
  AND EXISTS (
    SELECT 1 FROM mem_owner.known_version v
    WHERE v.tenant_id = :tenant_id AND (v.user_id IS NULL OR v.user_id = :user_id OR :user_id IS NULL)
      AND v.type = t.source_type AND v.id = t.source_id AND v.version = t.source_version)
ORDER BY t.derived_type, t.derived_id, t.derived_version, t.source_type, t.source_id, t.source_version, t.relation,
  t.user_key
