-- Addresses of the active shared documents of a collection (and agent, or none) that one writer brought and that begin
-- with a prefix; in their order, from after one (none: from the first).
-- binds: agent_id, collection, written_by, prefix, after_uri, row_limit number
-- context: tenant_id
SELECT d.source_uri
FROM mem_owner.knowledge_base_document d
WHERE d.tenant_id = :tenant_id AND d.user_id IS NULL
  AND (d.agent_id = :agent_id OR d.agent_id IS NULL AND :agent_id IS NULL)
  AND d.collection = :collection AND d.written_by = :written_by
  AND SUBSTR(d.source_uri, 1, LENGTH(:prefix)) = :prefix
  AND (:after_uri IS NULL OR d.source_uri > :after_uri)
  AND d.deleted_at IS NULL AND d.superseded_by IS NULL
  AND (d.valid_until IS NULL OR d.valid_until > SYS_EXTRACT_UTC(SYSTIMESTAMP))
ORDER BY d.source_uri
FETCH FIRST :row_limit ROWS ONLY
