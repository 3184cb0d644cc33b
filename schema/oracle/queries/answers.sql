-- Newest first. refs: what an answer may cite; runs: what it may be given in; anyone: of any agent, where an operator
-- asks.
-- binds: refs json, runs json, anyone flag, agent_id
-- context: tenant_id, user_id, scn
WITH answer AS (
  SELECT s.derived_id AS event_id, r.type, r.id, r.version
  FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
    version NUMBER PATH '$.version')) r
  JOIN mem_owner.context_source_ref AS OF SCN :scn s
    ON s.source_type = r.type AND s.source_id = r.id AND s.source_version = r.version
  WHERE s.tenant_id = :tenant_id AND (s.user_id = :user_id OR s.user_id IS NULL OR :user_id IS NULL)
    AND s.relation = 'mentions' AND s.derived_type = 'conversation'
  UNION
  SELECT c.event_id, CAST(NULL AS VARCHAR2(32)) AS type, CAST(NULL AS VARCHAR2(128)) AS id,
    CAST(NULL AS NUMBER) AS version
  FROM JSON_TABLE(:runs, '$[*]' COLUMNS (run_id VARCHAR2(128) PATH '$')) r
  JOIN mem_owner.conversation_memory AS OF SCN :scn c ON c.run_id = r.run_id
  WHERE c.tenant_id = :tenant_id AND (c.user_id = :user_id OR :user_id IS NULL) AND c.event_type = 'model_msg'
)
SELECT m.event_id, m.tenant_id, m.user_id, m.agent_id, m.thread_id, m.run_id, TO_CHAR(m.created_at) AS created_at,
  CASE WHEN a.id IS NOT NULL THEN JSON_ARRAY(a.type, a.id, a.version RETURNING JSON) END AS cites
FROM answer a
JOIN mem_owner.conversation_memory AS OF SCN :scn m ON m.event_id = a.event_id
WHERE m.tenant_id = :tenant_id AND (m.user_id = :user_id OR :user_id IS NULL) AND m.event_type = 'model_msg'
  AND m.deleted_at IS NULL
  AND (:anyone = 1 OR m.agent_id = :agent_id OR m.agent_id IS NULL AND :agent_id IS NULL)
ORDER BY m.event_order DESC, a.type, a.id, a.version
FETCH FIRST 2000 ROWS ONLY
