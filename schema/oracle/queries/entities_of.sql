-- Current entities of these subjects, and of these predicates where any are given.
-- binds: subjects json, predicates json, agent_id, thread_id, at_time
-- context: tenant_id, user_id, scn
SELECT e.tenant_id, e.id, e.user_id, e.agent_id, e.thread_id, e.subject, e.predicate, e.content, e.content_hash,
  e.content_json, e.conditions_hash, e.confidence, e.version, e.superseded_by, TO_CHAR(e.valid_from) AS valid_from,
  TO_CHAR(e.valid_until) AS valid_until, TO_CHAR(e.created_at) AS created_at, TO_CHAR(e.deleted_at) AS deleted_at,
  e.written_by, e.source_event_id, e.trust, TO_CHAR(e.quarantined_at) AS quarantined_at, e.quarantine_reason
FROM mem_owner.entity_memory AS OF SCN :scn e
WHERE e.tenant_id = :tenant_id AND (e.user_id IS NULL OR e.user_id = :user_id)
  AND e.subject IN (SELECT x.subject FROM JSON_TABLE(:subjects, '$[*]' COLUMNS (subject VARCHAR2(1000) PATH '$')) x)
  AND (:predicates IS NULL
    OR e.predicate IN (SELECT x.predicate FROM JSON_TABLE(:predicates, '$[*]'
      COLUMNS (predicate VARCHAR2(1000) PATH '$')) x))
  AND (e.agent_id IS NULL OR e.agent_id = :agent_id) AND (e.thread_id IS NULL OR e.thread_id = :thread_id)
  AND e.content IS NOT NULL AND e.deleted_at IS NULL AND e.valid_from <= TO_TIMESTAMP(:at_time)
  AND (e.valid_until IS NULL OR e.valid_until > TO_TIMESTAMP(:at_time))
ORDER BY e.id
FETCH FIRST 2000 ROWS ONLY
