-- Entities by ref; every_scope: of any agent and thread.
-- As the writing transaction sees it, rows of its own included, which a read AS OF does not.
-- binds: refs json, every_scope flag, agent_id, thread_id
-- context: tenant_id
SELECT e.tenant_id, e.id, e.user_id, e.agent_id, e.thread_id, e.subject, e.predicate, e.content, e.content_hash,
  e.content_json, e.conditions_hash, e.confidence, e.version, e.superseded_by, TO_CHAR(e.valid_from) AS valid_from,
  TO_CHAR(e.valid_until) AS valid_until, TO_CHAR(e.created_at) AS created_at, TO_CHAR(e.deleted_at) AS deleted_at,
  e.written_by, e.source_event_id, e.trust, TO_CHAR(e.quarantined_at) AS quarantined_at, e.quarantine_reason
FROM JSON_TABLE(:refs, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) r
JOIN mem_owner.entity_memory e ON e.id = r.id AND e.version = r.version
WHERE e.tenant_id = :tenant_id
  AND e.content IS NOT NULL
  AND (:every_scope = 1 OR (e.agent_id IS NULL OR e.agent_id = :agent_id)
    AND (e.thread_id IS NULL OR e.thread_id = :thread_id))
ORDER BY e.id
