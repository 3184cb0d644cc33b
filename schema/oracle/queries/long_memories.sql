-- Memories whose element has more tokens than the limit of their kind, by kind, id and version, from after one (none:
-- from the first). A count can be shared where its memory is private: only rows that the caller may see are named.
-- binds: kinds json, limits json, renderer_version, encoding, after_kind, after_id, after_version number,
--   row_limit number
-- context: tenant_id, user_id, scn
WITH most AS (
  SELECT k.kind, l.tokens
  FROM JSON_TABLE(:kinds, '$[*]' COLUMNS (position FOR ORDINALITY, kind VARCHAR2(32) PATH '$')) k
  JOIN JSON_TABLE(:limits, '$[*]' COLUMNS (position FOR ORDINALITY, tokens NUMBER PATH '$')) l
    ON l.position = k.position
)
SELECT DISTINCT c.kind AS type, c.id, c.version
FROM mem_owner.token_count AS OF SCN :scn c
JOIN most m ON m.kind = c.kind AND c.tokens > m.tokens
WHERE c.tenant_id = :tenant_id AND (c.user_id IS NULL OR c.user_id = :user_id)
  AND c.tier = 'full' AND c.renderer_version = :renderer_version AND c.encoding = :encoding
  AND (:after_kind IS NULL OR c.kind > :after_kind
    OR c.kind = :after_kind AND (c.id > :after_id OR c.id = :after_id AND c.version > :after_version))
  AND (
    EXISTS (
      SELECT 1 FROM mem_owner.knowledge_base_chunk AS OF SCN :scn k
      WHERE c.kind = 'chunk' AND k.tenant_id = :tenant_id AND (k.user_id IS NULL OR k.user_id = :user_id)
        AND k.id = c.id AND c.version = 1)
    OR EXISTS (
      SELECT 1 FROM mem_owner.conversation_memory AS OF SCN :scn e
      WHERE c.kind = 'conversation' AND e.tenant_id = :tenant_id AND e.user_id = :user_id
        AND e.event_id = c.id AND c.version = 1)
    OR EXISTS (
      SELECT 1 FROM mem_owner.entity_memory AS OF SCN :scn e
      WHERE c.kind = 'entity' AND e.tenant_id = :tenant_id AND (e.user_id IS NULL OR e.user_id = :user_id)
        AND e.id = c.id AND e.version = c.version)
    OR EXISTS (
      SELECT 1 FROM mem_owner.summarization_memory AS OF SCN :scn s
      WHERE c.kind = 'summary' AND s.tenant_id = :tenant_id AND (s.user_id IS NULL OR s.user_id = :user_id)
        AND s.id = c.id AND c.version = 1)
    OR EXISTS (
      SELECT 1 FROM mem_owner.workflow_memory AS OF SCN :scn w
      WHERE c.kind = 'workflow' AND w.tenant_id = :tenant_id AND (w.user_id IS NULL OR w.user_id = :user_id)
        AND w.id = c.id AND w.version = c.version))
ORDER BY c.kind, c.id, c.version
FETCH FIRST :row_limit ROWS ONLY
