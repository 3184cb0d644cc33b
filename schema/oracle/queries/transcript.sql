-- What a run exchanged, in order.
-- binds: run_id, user_id, agent_id
-- context: tenant_id, scn
SELECT c.event_id AS id, c.event_type, c.manifest_id, c.payload
FROM mem_owner.conversation_memory AS OF SCN :scn c
WHERE c.tenant_id = :tenant_id AND c.user_id = :user_id AND c.run_id = :run_id
  AND (c.agent_id = :agent_id OR c.agent_id IS NULL AND :agent_id IS NULL) AND c.deleted_at IS NULL
  AND c.event_type IN ('context_manifest', 'request', 'tool_call', 'tool_result')
ORDER BY c.event_order
FETCH FIRST 2000 ROWS ONLY
