-- Events by their ids, and documents by theirs or by a chunk's; no text of either. anyone: of any agent, where an
-- operator asks.
-- binds: refs json, anyone flag, agent_id
-- context: tenant_id, user_id, scn
SELECT h.type, h.id, h.version, h.event_type, h.title, h.uri, TO_CHAR(h.created_at) AS created_at
FROM (
  SELECT r.type, r.id, r.version, c.event_type, CAST(NULL AS VARCHAR2(4000)) AS title,
    CAST(NULL AS VARCHAR2(2000)) AS uri, c.created_at
  FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
    version NUMBER PATH '$.version')) r
  JOIN mem_owner.conversation_memory AS OF SCN :scn c ON c.event_id = r.id
  WHERE r.type = 'conversation' AND c.tenant_id = :tenant_id AND (c.user_id = :user_id OR :user_id IS NULL)
    AND c.deleted_at IS NULL AND (:anyone = 1 OR c.agent_id IS NULL OR c.agent_id = :agent_id)
  UNION ALL
  SELECT 'document' AS type, d.id, d.version, CAST(NULL AS VARCHAR2(32)) AS event_type, d.title, d.source_uri AS uri,
    d.created_at
  FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id')) r
  JOIN mem_owner.knowledge_base_document AS OF SCN :scn d ON r.type = 'document' AND d.id = r.id
  WHERE d.tenant_id = :tenant_id AND (d.user_id IS NULL OR d.user_id = :user_id OR :user_id IS NULL)
    AND d.deleted_at IS NULL AND (:anyone = 1 OR d.agent_id IS NULL OR d.agent_id = :agent_id)
  UNION ALL
  SELECT 'document' AS type, d.id, d.version, CAST(NULL AS VARCHAR2(32)) AS event_type, d.title, d.source_uri AS uri,
    d.created_at
  FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id')) r
  JOIN mem_owner.knowledge_base_chunk AS OF SCN :scn k ON r.type = 'chunk' AND k.id = r.id
  JOIN mem_owner.knowledge_base_document AS OF SCN :scn d ON d.id = k.document_id
  WHERE k.tenant_id = :tenant_id AND (k.user_id IS NULL OR k.user_id = :user_id OR :user_id IS NULL)
    AND k.deleted_at IS NULL
    AND d.tenant_id = :tenant_id AND (d.user_id IS NULL OR d.user_id = :user_id OR :user_id IS NULL)
    AND d.deleted_at IS NULL AND (:anyone = 1 OR d.agent_id IS NULL OR d.agent_id = :agent_id)
) h
ORDER BY h.type, h.id, h.version
