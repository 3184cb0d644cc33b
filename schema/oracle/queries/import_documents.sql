-- Rows as export_documents gives them, in their order.
-- binds: exported_rows json
-- context: tenant_id
INSERT INTO mem_owner.knowledge_base_document (tenant_id, id, user_id, agent_id, collection, title, source_uri,
  source_type, content_hash, metadata, ingested_at, ingested_by, version, superseded_by, valid_from, valid_until,
  created_at, deleted_at, written_by, source_event_id, trust, quarantined_at, quarantine_reason)
SELECT :tenant_id, r.id, r.user_id, r.agent_id, r.collection, r.title, r.source_uri, r.source_type, r.content_hash,
  r.metadata, TO_TIMESTAMP(r.ingested_at), r.ingested_by, r.version, r.superseded_by, TO_TIMESTAMP(r.valid_from),
  TO_TIMESTAMP(r.valid_until), TO_TIMESTAMP(r.created_at), TO_TIMESTAMP(r.deleted_at), r.written_by,
  r.source_event_id, r.trust, TO_TIMESTAMP(r.quarantined_at), r.quarantine_reason
FROM JSON_TABLE(:exported_rows, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
  agent_id VARCHAR2(255) PATH '$.agent_id', collection VARCHAR2(1000) PATH '$.collection',
  title VARCHAR2(4000) PATH '$.title', source_uri VARCHAR2(2000) PATH '$.source_uri',
  source_type VARCHAR2(255) PATH '$.source_type', content_hash VARCHAR2(64) PATH '$.content_hash',
  metadata JSON PATH '$.metadata', ingested_at VARCHAR2(27) PATH '$.ingested_at',
  ingested_by VARCHAR2(255) PATH '$.ingested_by', version NUMBER PATH '$.version',
  superseded_by VARCHAR2(128) PATH '$.superseded_by', valid_from VARCHAR2(27) PATH '$.valid_from',
  valid_until VARCHAR2(27) PATH '$.valid_until', created_at VARCHAR2(27) PATH '$.created_at',
  deleted_at VARCHAR2(27) PATH '$.deleted_at', written_by VARCHAR2(255) PATH '$.written_by',
  source_event_id VARCHAR2(128) PATH '$.source_event_id', trust VARCHAR2(16) PATH '$.trust',
  quarantined_at VARCHAR2(27) PATH '$.quarantined_at', quarantine_reason VARCHAR2(4000) PATH '$.quarantine_reason')) r
