-- Chunks by ref, with what their document says; every_scope: of any agent.
-- As the writing transaction sees it, rows of its own included, which a read AS OF does not.
-- binds: refs json, every_scope flag, agent_id
-- context: tenant_id
SELECT c.tenant_id, c.id, c.user_id, c.agent_id, c.document_id, c.chunk_index, c.content,
  TO_CHAR(c.created_at) AS created_at, TO_CHAR(c.deleted_at) AS deleted_at, c.source_event_id, c.trust,
  TO_CHAR(c.quarantined_at) AS quarantined_at, d.version AS document_version, d.collection, d.title, d.source_uri,
  TO_CHAR(d.valid_from) AS valid_from, TO_CHAR(d.valid_until) AS valid_until, d.superseded_by,
  TO_CHAR(d.deleted_at) AS document_deleted_at, TO_CHAR(d.quarantined_at) AS document_quarantined_at
FROM JSON_TABLE(:refs, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) r
JOIN mem_owner.knowledge_base_chunk c ON c.id = r.id AND r.version = 1
JOIN mem_owner.knowledge_base_document d ON d.tenant_id = c.tenant_id AND d.id = c.document_id
WHERE c.tenant_id = :tenant_id
  AND d.tenant_id = :tenant_id
  AND (:every_scope = 1 OR (c.agent_id IS NULL OR c.agent_id = :agent_id))
ORDER BY c.id
