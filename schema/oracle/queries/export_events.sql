-- The tenant's rows, each as the text of a JSON object, in the order in which they were written.
-- binds: none
-- context: tenant_id, user_id, scn
SELECT JSON_OBJECT('event_id' VALUE t.event_id, 'user_id' VALUE t.user_id, 'agent_id' VALUE t.agent_id,
  'thread_id' VALUE t.thread_id, 'run_id' VALUE t.run_id, 'turn_index' VALUE t.turn_index,
  'event_type' VALUE t.event_type, 'role' VALUE t.role, 'payload' VALUE t.payload, 'token_cost' VALUE t.token_cost,
  'latency_ms' VALUE t.latency_ms, 'retention_class' VALUE t.retention_class,
  'created_at' VALUE TO_CHAR(t.created_at), 'deleted_at' VALUE TO_CHAR(t.deleted_at), 'written_by' VALUE t.written_by,
  'source_event_id' VALUE t.source_event_id, 'trust' VALUE t.trust, 'quarantined_at' VALUE TO_CHAR(t.quarantined_at),
  'quarantine_reason' VALUE t.quarantine_reason
  RETURNING CLOB) AS "ROW"
FROM mem_owner.conversation_memory AS OF SCN :scn t
WHERE t.tenant_id = :tenant_id AND (t.user_id = :user_id OR :user_id IS NULL)
ORDER BY t.event_order
