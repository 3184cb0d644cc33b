-- A manifest with all that was recorded beside it; a tombstone stands for one that was erased. anyone: of any agent,
-- where an operator asks.
-- binds: manifest_id, anyone flag, agent_id
-- context: tenant_id, user_id, scn
SELECT m.event_id AS id, m.event_type, m.tenant_id, m.user_id, m.agent_id, m.thread_id,
  TO_CHAR(m.created_at) AS created_at, TO_CHAR(m.deleted_at) AS deleted_at,
  JSON_QUERY(m.payload, '$.manifest' RETURNING JSON) AS manifest,
  (
    SELECT r.payload FROM mem_owner.conversation_memory AS OF SCN :scn r
    WHERE r.tenant_id = :tenant_id AND (r.user_id = :user_id OR :user_id IS NULL) AND r.user_id = m.user_id
      AND r.manifest_id = m.manifest_id AND r.event_type = 'request' AND r.deleted_at IS NULL
    ORDER BY r.event_order
    FETCH FIRST 1 ROW ONLY
  ) AS request,
  (
    SELECT r.payload FROM mem_owner.conversation_memory AS OF SCN :scn r
    WHERE r.tenant_id = :tenant_id AND (r.user_id = :user_id OR :user_id IS NULL) AND r.user_id = m.user_id
      AND r.manifest_id = m.manifest_id AND r.event_type = 'retrieval' AND r.deleted_at IS NULL
    ORDER BY r.event_order
    FETCH FIRST 1 ROW ONLY
  ) AS retrieval
FROM mem_owner.conversation_memory AS OF SCN :scn m
WHERE m.tenant_id = :tenant_id AND (m.user_id = :user_id OR :user_id IS NULL) AND m.manifest_id = :manifest_id
  AND m.event_type IN ('context_manifest', 'tombstone')
  AND (:anyone = 1 OR m.agent_id = :agent_id OR m.agent_id IS NULL AND :agent_id IS NULL
    OR m.event_type = 'tombstone' AND m.agent_id IS NULL)
ORDER BY m.event_type, m.event_order
FETCH FIRST 1 ROW ONLY
