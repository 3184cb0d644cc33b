-- Vectors have length 1, so that the negative inner product is the negative cosine. Exact: an approximate index knows
-- only the present.
-- binds: vector vector, part, kinds json, collections json, agent_id, thread_id, at_time, excluded json, row_limit
--   number, embedder
-- context: tenant_id, user_id, scn
SELECT n.type, n.id, n.version, -n.distance AS cosine
FROM (
  SELECT v.kind AS type, v.id, v.version, VECTOR_DISTANCE(v.vector, :vector, DOT) AS distance
  FROM mem_owner.memory_vector AS OF SCN :scn v
  WHERE v.embedder = :embedder AND v.vector IS NOT NULL AND v.part = :part AND v.tenant_id = :tenant_id
    AND (v.user_id = :user_id OR v.user_id IS NULL AND v.kind <> 'conversation')
    AND v.kind IN (SELECT x.kind FROM JSON_TABLE(:kinds, '$[*]' COLUMNS (kind VARCHAR2(32) PATH '$')) x)
    AND (v.agent_id IS NULL OR v.agent_id = :agent_id)
    AND (v.thread_id IS NULL OR v.thread_id = :thread_id
      OR v.kind IN ('conversation', 'summary') AND v.user_id = :user_id)
    AND (:collections IS NULL OR v.kind <> 'chunk'
      OR v.collection IN (SELECT x.collection FROM JSON_TABLE(:collections, '$[*]'
        COLUMNS (collection VARCHAR2(1000) PATH '$')) x))
    AND v.quarantined = FALSE AND v.valid_from <= TO_TIMESTAMP(:at_time)
    AND (v.valid_until IS NULL OR v.valid_until > TO_TIMESTAMP(:at_time))
    AND NOT EXISTS (
      SELECT 1 FROM JSON_TABLE(:excluded, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type',
        id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) x
      WHERE x.type = v.kind AND x.id = v.id AND x.version = v.version)
  ORDER BY distance, v.kind, v.id, v.version
  FETCH EXACT FIRST :row_limit ROWS ONLY
) n
ORDER BY n.distance, n.type, n.id, n.version
