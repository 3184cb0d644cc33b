-- Of any thread: a summary may have been made of what another thread said.
-- binds: refs json, agent_id
-- context: tenant_id, user_id, scn
WITH refs AS (
  SELECT r.type, r.id, r.version
  FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
    version NUMBER PATH '$.version')) r
), found AS (
  SELECT g.tenant_id, 'guideline' AS type, g.id, g.version, g.user_id, g.agent_id, g.thread_id, g.valid_from,
    g.valid_until, g.created_at, g.deleted_at, g.superseded_by, g.quarantined_at
  FROM refs r JOIN mem_owner.guideline_memory AS OF SCN :scn g ON g.id = r.id AND g.version = r.version
  WHERE r.type = 'guideline' AND g.tenant_id = :tenant_id AND (g.user_id IS NULL OR g.user_id = :user_id)
  UNION ALL
  SELECT p.tenant_id, 'persona' AS type, p.id, 1 AS version, p.user_id, p.agent_id, p.thread_id, p.valid_from,
    p.valid_until, p.created_at, p.deleted_at, CAST(NULL AS VARCHAR2(128)) AS superseded_by, p.quarantined_at
  FROM refs r JOIN mem_owner.persona_memory AS OF SCN :scn p ON p.id = r.id
  WHERE r.type = 'persona' AND r.version = 1 AND p.tenant_id = :tenant_id
    AND (p.user_id IS NULL OR p.user_id = :user_id)
  UNION ALL
  SELECT t.tenant_id, 'toolbox' AS type, t.id, t.version, t.user_id, t.agent_id,
    CAST(NULL AS VARCHAR2(255)) AS thread_id, t.valid_from, t.valid_until, t.created_at, t.deleted_at,
    t.superseded_by, t.quarantined_at
  FROM refs r JOIN mem_owner.toolbox_memory AS OF SCN :scn t ON t.id = r.id AND t.version = r.version
  WHERE r.type = 'toolbox' AND t.tenant_id = :tenant_id AND (t.user_id IS NULL OR t.user_id = :user_id)
  UNION ALL
  SELECT e.tenant_id, 'entity' AS type, e.id, e.version, e.user_id, e.agent_id, e.thread_id, e.valid_from,
    e.valid_until, e.created_at, e.deleted_at, e.superseded_by, e.quarantined_at
  FROM refs r JOIN mem_owner.entity_memory AS OF SCN :scn e ON e.id = r.id AND e.version = r.version
  WHERE r.type = 'entity' AND e.tenant_id = :tenant_id AND (e.user_id IS NULL OR e.user_id = :user_id)
  UNION ALL
  SELECT w.tenant_id, 'workflow' AS type, w.id, w.version, w.user_id, w.agent_id,
    CAST(NULL AS VARCHAR2(255)) AS thread_id, w.valid_from, w.valid_until, w.created_at, w.deleted_at,
    w.superseded_by, w.quarantined_at
  FROM refs r JOIN mem_owner.workflow_memory AS OF SCN :scn w ON w.id = r.id AND w.version = r.version
  WHERE r.type = 'workflow' AND w.tenant_id = :tenant_id AND (w.user_id IS NULL OR w.user_id = :user_id)
  UNION ALL
  SELECT s.tenant_id, 'summary' AS type, s.id, 1 AS version, s.user_id, s.agent_id, s.thread_id, s.valid_from,
    s.valid_until, s.created_at, s.deleted_at, CAST(NULL AS VARCHAR2(128)) AS superseded_by, s.quarantined_at
  FROM refs r JOIN mem_owner.summarization_memory AS OF SCN :scn s ON s.id = r.id
  WHERE r.type = 'summary' AND r.version = 1 AND s.tenant_id = :tenant_id
    AND (s.user_id IS NULL OR s.user_id = :user_id)
  UNION ALL
  SELECT c.tenant_id, 'conversation' AS type, c.event_id AS id, 1 AS version, c.user_id, c.agent_id, c.thread_id,
    c.created_at AS valid_from, CAST(NULL AS TIMESTAMP(6)) AS valid_until, c.created_at, c.deleted_at,
    CAST(NULL AS VARCHAR2(128)) AS superseded_by, c.quarantined_at
  FROM refs r JOIN mem_owner.conversation_memory AS OF SCN :scn c ON c.event_id = r.id
  WHERE r.type = 'conversation' AND r.version = 1 AND c.tenant_id = :tenant_id
    AND (c.user_id IS NULL OR c.user_id = :user_id)
  UNION ALL
  SELECT d.tenant_id, 'document' AS type, d.id, d.version, d.user_id, d.agent_id,
    CAST(NULL AS VARCHAR2(255)) AS thread_id, d.valid_from, d.valid_until, d.created_at, d.deleted_at,
    d.superseded_by, d.quarantined_at
  FROM refs r JOIN mem_owner.knowledge_base_document AS OF SCN :scn d ON d.id = r.id AND d.version = r.version
  WHERE r.type = 'document' AND d.tenant_id = :tenant_id AND (d.user_id IS NULL OR d.user_id = :user_id)
  UNION ALL
  SELECT c.tenant_id, 'chunk' AS type, c.id, 1 AS version, c.user_id, c.agent_id,
    CAST(NULL AS VARCHAR2(255)) AS thread_id, d.valid_from, d.valid_until, c.created_at,
    COALESCE(c.deleted_at, d.deleted_at) AS deleted_at, d.superseded_by,
    COALESCE(c.quarantined_at, d.quarantined_at) AS quarantined_at
  FROM refs r JOIN mem_owner.knowledge_base_chunk AS OF SCN :scn c ON c.id = r.id
  JOIN mem_owner.knowledge_base_document AS OF SCN :scn d ON d.tenant_id = c.tenant_id AND d.id = c.document_id
  WHERE r.type = 'chunk' AND r.version = 1 AND c.tenant_id = :tenant_id
    AND (c.user_id IS NULL OR c.user_id = :user_id)
    AND d.tenant_id = :tenant_id AND (d.user_id IS NULL OR d.user_id = :user_id)
  UNION ALL
  SELECT c.tenant_id, 'compression' AS type, c.id, 1 AS version, c.user_id, c.agent_id, c.thread_id,
    c.created_at AS valid_from, CAST(NULL AS TIMESTAMP(6)) AS valid_until, c.created_at,
    CAST(NULL AS TIMESTAMP(6)) AS deleted_at, CAST(NULL AS VARCHAR2(128)) AS superseded_by,
    CAST(NULL AS TIMESTAMP(6)) AS quarantined_at
  FROM refs r JOIN mem_owner.context_compression AS OF SCN :scn c ON c.id = r.id
  WHERE r.type = 'compression' AND r.version = 1 AND c.tenant_id = :tenant_id
    AND (c.user_id IS NULL OR c.user_id = :user_id)
)
SELECT f.tenant_id, f.type, f.id, f.version, f.user_id, f.agent_id, f.thread_id, TO_CHAR(f.valid_from) AS valid_from,
  TO_CHAR(f.valid_until) AS valid_until, TO_CHAR(f.created_at) AS created_at, TO_CHAR(f.deleted_at) AS deleted_at,
  f.superseded_by, TO_CHAR(f.quarantined_at) AS quarantined_at, i.subject, i.predicate,
  JSON_QUERY(i.content_json, '$.conditions' RETURNING JSON) AS conditions
FROM found f
LEFT JOIN mem_owner.entity_memory AS OF SCN :scn i
  ON i.tenant_id = :tenant_id AND f.type = 'entity' AND i.id = f.id AND (i.user_id IS NULL OR i.user_id = :user_id)
WHERE (f.agent_id IS NULL OR f.agent_id = :agent_id)
ORDER BY f.type, f.id, f.version
