-- A manifest with the payload of its request.
-- binds: manifest_id, agent_id
-- context: tenant_id, user_id, scn
SELECT m.event_id AS id, m.manifest_id, JSON_QUERY(m.payload, '$.manifest' RETURNING JSON) AS manifest,
  TO_CHAR(m.created_at) AS created_at,
  (
    SELECT r.payload FROM mem_owner.conversation_memory AS OF SCN :scn r
    WHERE r.tenant_id = :tenant_id AND r.user_id = :user_id AND r.manifest_id = m.manifest_id
      AND r.event_type = 'request' AND r.deleted_at IS NULL
    ORDER BY r.event_order
    FETCH FIRST 1 ROW ONLY
  ) AS request
FROM mem_owner.conversation_memory AS OF SCN :scn m
WHERE m.tenant_id = :tenant_id AND m.user_id = :user_id AND m.event_type = 'context_manifest'
  AND m.manifest_id = :manifest_id
  AND (m.agent_id = :agent_id OR m.agent_id IS NULL AND :agent_id IS NULL) AND m.deleted_at IS NULL
ORDER BY m.event_order
FETCH FIRST 1 ROW ONLY
