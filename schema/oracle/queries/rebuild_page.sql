-- Memories of a kind after an id (none: from the first), with what is derived of each; analysis null: it is not indexed;
-- vector_hash null: it has no vector by the embedder. lacking: only those without such a vector, or without terms of the
-- analysis; null: all.
-- binds: kind, after_id, embedder, analysis number, lacking, row_limit number
-- context: tenant_id
SELECT i.kind AS type, i.id, i.version, t.analysis, v.content_hash AS vector_hash
FROM mem_owner.indexable i
LEFT JOIN mem_owner.memory_term t
  ON t.tenant_id = i.tenant_id AND t.kind = i.kind AND t.id = i.id AND t.version = i.version
LEFT JOIN mem_owner.memory_vector v
  ON v.tenant_id = i.tenant_id AND v.part = 'text' AND v.kind = i.kind AND v.id = i.id AND v.version = i.version
    AND v.embedder = :embedder
WHERE i.tenant_id = :tenant_id AND i.kind = :kind AND (:after_id IS NULL OR i.id > :after_id)
  AND (:lacking IS NULL OR :lacking = 'vectors' AND v.id IS NULL
    OR :lacking = 'terms' AND (t.analysis IS NULL OR t.analysis <> :analysis))
ORDER BY i.id
FETCH FIRST :row_limit ROWS ONLY
