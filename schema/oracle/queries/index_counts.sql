-- How far what is derived of the tenant's memories is as it should be; left_over: vectors by other embedders.
-- binds: embedder, analysis number
-- context: tenant_id
SELECT
  (SELECT COUNT(*) FROM mem_owner.indexable i WHERE i.tenant_id = :tenant_id) AS memories,
  (SELECT COUNT(*) FROM mem_owner.memory_term t WHERE t.tenant_id = :tenant_id) AS indexed,
  (SELECT COUNT(*) FROM mem_owner.memory_term t
    WHERE t.tenant_id = :tenant_id AND t.analysis = :analysis) AS analysed,
  (SELECT COUNT(*) FROM mem_owner.memory_vector v
    WHERE v.tenant_id = :tenant_id AND v.part = 'text' AND v.embedder = :embedder) AS with_vector,
  (SELECT COUNT(*) FROM mem_owner.memory_vector v
    WHERE v.tenant_id = :tenant_id AND v.embedder <> :embedder) AS left_over
FROM DUAL
