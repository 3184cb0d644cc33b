-- The version itself (ref_version null: whatever it has), then those that it replaced, newest first.
-- binds: ref_type, row_id, ref_version number
-- context: tenant_id, user_id, scn
WITH chain AS (
  SELECT g.id, g.version, LEVEL AS step
  FROM mem_owner.guideline_memory AS OF SCN :scn g
  WHERE :ref_type = 'guideline'
  START WITH g.tenant_id = :tenant_id AND g.id = :row_id
    AND (g.user_id IS NULL OR g.user_id = :user_id OR :user_id IS NULL)
    AND (:ref_version IS NULL OR g.version = :ref_version) AND :ref_type = 'guideline'
  CONNECT BY NOCYCLE g.tenant_id = :tenant_id AND g.superseded_by = PRIOR g.id AND LEVEL <= 1000
    AND (g.user_id IS NULL OR g.user_id = :user_id OR :user_id IS NULL)
  UNION ALL
  SELECT t.id, t.version, LEVEL AS step
  FROM mem_owner.toolbox_memory AS OF SCN :scn t
  WHERE :ref_type = 'toolbox'
  START WITH t.tenant_id = :tenant_id AND t.id = :row_id
    AND (t.user_id IS NULL OR t.user_id = :user_id OR :user_id IS NULL)
    AND (:ref_version IS NULL OR t.version = :ref_version) AND :ref_type = 'toolbox'
  CONNECT BY NOCYCLE t.tenant_id = :tenant_id AND t.superseded_by = PRIOR t.id AND LEVEL <= 1000
    AND (t.user_id IS NULL OR t.user_id = :user_id OR :user_id IS NULL)
  UNION ALL
  SELECT e.id, e.version, LEVEL AS step
  FROM mem_owner.entity_memory AS OF SCN :scn e
  WHERE :ref_type = 'entity'
  START WITH e.tenant_id = :tenant_id AND e.id = :row_id
    AND (e.user_id IS NULL OR e.user_id = :user_id OR :user_id IS NULL)
    AND (:ref_version IS NULL OR e.version = :ref_version) AND :ref_type = 'entity'
  CONNECT BY NOCYCLE e.tenant_id = :tenant_id AND e.superseded_by = PRIOR e.id AND LEVEL <= 1000
    AND (e.user_id IS NULL OR e.user_id = :user_id OR :user_id IS NULL)
  UNION ALL
  SELECT w.id, w.version, LEVEL AS step
  FROM mem_owner.workflow_memory AS OF SCN :scn w
  WHERE :ref_type = 'workflow'
  START WITH w.tenant_id = :tenant_id AND w.id = :row_id
    AND (w.user_id IS NULL OR w.user_id = :user_id OR :user_id IS NULL)
    AND (:ref_version IS NULL OR w.version = :ref_version) AND :ref_type = 'workflow'
  CONNECT BY NOCYCLE w.tenant_id = :tenant_id AND w.superseded_by = PRIOR w.id AND LEVEL <= 1000
    AND (w.user_id IS NULL OR w.user_id = :user_id OR :user_id IS NULL)
  UNION ALL
  SELECT d.id, d.version, LEVEL AS step
  FROM mem_owner.knowledge_base_document AS OF SCN :scn d
  WHERE :ref_type = 'document'
  START WITH d.tenant_id = :tenant_id AND d.id = :row_id
    AND (d.user_id IS NULL OR d.user_id = :user_id OR :user_id IS NULL)
    AND (:ref_version IS NULL OR d.version = :ref_version) AND :ref_type = 'document'
  CONNECT BY NOCYCLE d.tenant_id = :tenant_id AND d.superseded_by = PRIOR d.id AND LEVEL <= 1000
    AND (d.user_id IS NULL OR d.user_id = :user_id OR :user_id IS NULL)
  UNION ALL
  SELECT p.id, 1 AS version, 1 AS step
  FROM mem_owner.persona_memory AS OF SCN :scn p
  WHERE p.tenant_id = :tenant_id AND (p.user_id IS NULL OR p.user_id = :user_id OR :user_id IS NULL)
    AND p.id = :row_id AND NVL(:ref_version, 1) = 1 AND :ref_type = 'persona'
  UNION ALL
  SELECT s.id, 1 AS version, 1 AS step
  FROM mem_owner.summarization_memory AS OF SCN :scn s
  WHERE s.tenant_id = :tenant_id AND (s.user_id IS NULL OR s.user_id = :user_id OR :user_id IS NULL)
    AND s.id = :row_id AND NVL(:ref_version, 1) = 1 AND :ref_type = 'summary'
  UNION ALL
  SELECT c.event_id AS id, 1 AS version, 1 AS step
  FROM mem_owner.conversation_memory AS OF SCN :scn c
  WHERE c.tenant_id = :tenant_id AND (c.user_id IS NULL OR c.user_id = :user_id OR :user_id IS NULL)
    AND c.event_id = :row_id AND NVL(:ref_version, 1) = 1 AND :ref_type = 'conversation'
  UNION ALL
  SELECT k.id, 1 AS version, 1 AS step
  FROM mem_owner.knowledge_base_chunk AS OF SCN :scn k
  WHERE k.tenant_id = :tenant_id AND (k.user_id IS NULL OR k.user_id = :user_id OR :user_id IS NULL)
    AND k.id = :row_id AND NVL(:ref_version, 1) = 1 AND :ref_type = 'chunk'
  UNION ALL
  SELECT x.id, 1 AS version, 1 AS step
  FROM mem_owner.context_compression AS OF SCN :scn x
  WHERE x.tenant_id = :tenant_id AND (x.user_id IS NULL OR x.user_id = :user_id OR :user_id IS NULL)
    AND x.id = :row_id AND NVL(:ref_version, 1) = 1 AND :ref_type = 'compression'
)
SELECT CAST(:ref_type AS VARCHAR2(32)) AS type, c.id, c.version
FROM chain c
ORDER BY c.step, c.id
FETCH FIRST 1000 ROWS ONLY
