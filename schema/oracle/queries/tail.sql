-- The newest living turns up to the limit, with the deleted and quarantined ones among them.
-- binds: agent_id, thread_id, at_time, row_limit number
-- context: tenant_id, user_id, scn
SELECT c.tenant_id, c.event_id, c.event_order, c.user_id, c.agent_id, c.thread_id, c.run_id, c.turn_index,
  c.event_type, c.role, c.payload, c.manifest_id, c.token_cost, c.latency_ms, c.retention_class,
  TO_CHAR(c.created_at) AS created_at, TO_CHAR(c.deleted_at) AS deleted_at, c.written_by, c.source_event_id, c.trust,
  TO_CHAR(c.quarantined_at) AS quarantined_at, c.quarantine_reason
FROM mem_owner.conversation_memory AS OF SCN :scn c
WHERE c.tenant_id = :tenant_id AND c.user_id = :user_id AND c.thread_id = :thread_id
  AND (c.agent_id = :agent_id OR c.agent_id IS NULL AND :agent_id IS NULL)
  AND c.turn_index IS NOT NULL AND c.created_at <= TO_TIMESTAMP(:at_time)
  AND c.turn_index >= (
    SELECT NVL(MIN(n.turn_index), 0) FROM (
      SELECT o.turn_index FROM mem_owner.conversation_memory AS OF SCN :scn o
      WHERE o.tenant_id = :tenant_id AND o.user_id = :user_id AND o.thread_id = :thread_id
        AND (o.agent_id = :agent_id OR o.agent_id IS NULL AND :agent_id IS NULL)
        AND o.turn_index IS NOT NULL AND o.created_at <= TO_TIMESTAMP(:at_time)
        AND o.deleted_at IS NULL AND o.quarantined_at IS NULL
      ORDER BY o.turn_index DESC
      FETCH FIRST :row_limit ROWS ONLY
    ) n
  )
ORDER BY c.turn_index DESC
FETCH FIRST :row_limit * 2 ROWS ONLY
