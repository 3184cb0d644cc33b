-- The active row of a key, else its newest version; locked until the transaction ends.
-- binds: row_key json
-- context: tenant_id
SELECT m.tenant_id, m.id, m.user_id, m.agent_id, m.collection, m.title, m.source_uri, m.source_type, m.content_hash,
  m.metadata, TO_CHAR(m.ingested_at) AS ingested_at, m.ingested_by, m.version, m.superseded_by,
  TO_CHAR(m.valid_from) AS valid_from, TO_CHAR(m.valid_until) AS valid_until, TO_CHAR(m.created_at) AS created_at,
  TO_CHAR(m.deleted_at) AS deleted_at, m.written_by, m.source_event_id, m.trust,
  TO_CHAR(m.quarantined_at) AS quarantined_at, m.quarantine_reason,
  CASE WHEN m.deleted_at IS NULL AND (m.valid_until IS NULL OR m.valid_until > SYS_EXTRACT_UTC(SYSTIMESTAMP))
    AND m.superseded_by IS NULL THEN TRUE ELSE FALSE END AS active
FROM mem_owner.knowledge_base_document m
WHERE m.tenant_id = :tenant_id AND m.id = (
  SELECT n.id FROM mem_owner.knowledge_base_document n
  CROSS JOIN JSON_TABLE(:row_key, '$' COLUMNS (
    user_id VARCHAR2(255) PATH '$.user_id', agent_id VARCHAR2(255) PATH '$.agent_id',
    collection VARCHAR2(1000) PATH '$.collection', source_uri VARCHAR2(2000) PATH '$.source_uri')) k
  WHERE n.tenant_id = :tenant_id
    AND (n.user_id = k.user_id OR n.user_id IS NULL AND k.user_id IS NULL)
    AND (n.agent_id = k.agent_id OR n.agent_id IS NULL AND k.agent_id IS NULL)
    AND n.collection = k.collection
    AND n.source_uri = k.source_uri
  ORDER BY CASE WHEN n.deleted_at IS NULL AND (n.valid_until IS NULL OR n.valid_until > SYS_EXTRACT_UTC(SYSTIMESTAMP))
        AND n.superseded_by IS NULL THEN 1 ELSE 0 END DESC,
    n.version DESC, n.id DESC
  FETCH FIRST 1 ROW ONLY
)
FOR UPDATE
