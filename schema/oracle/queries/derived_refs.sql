-- Memories of the tenant of which something is derived that a search or a window reads.
-- binds: row_limit number
-- context: tenant_id
SELECT d.type, d.id, d.version
FROM (
  SELECT t.kind AS type, t.id, t.version FROM mem_owner.memory_term t WHERE t.tenant_id = :tenant_id
  UNION
  SELECT v.kind, v.id, v.version FROM mem_owner.memory_vector v WHERE v.tenant_id = :tenant_id
  UNION
  SELECT c.kind, c.id, c.version FROM mem_owner.token_count c WHERE c.tenant_id = :tenant_id
) d
FETCH FIRST :row_limit ROWS ONLY
