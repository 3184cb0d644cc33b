-- Nearest by sign bits first, then exact. nearest: how many by bits; bits: the signs of the vector.
-- binds: vector vector, part, kinds json, collections json, agent_id, thread_id, at_time, excluded json, row_limit
--   number, embedder, nearest number
-- derived: bits vector
-- context: tenant_id, user_id, scn
SELECT v.kind AS type, v.id, v.version, -VECTOR_DISTANCE(v.vector, :vector, DOT) AS cosine
FROM (
  SELECT s.kind, s.id, s.version
  FROM mem_owner.memory_sign AS OF SCN :scn s
  WHERE s.embedder = :embedder AND s.part = :part AND s.tenant_id = :tenant_id
    AND (s.user_id = :user_id OR s.user_id IS NULL AND s.kind <> 'conversation')
    AND s.kind IN (SELECT x.kind FROM JSON_TABLE(:kinds, '$[*]' COLUMNS (kind VARCHAR2(32) PATH '$')) x)
    AND (s.agent_id IS NULL OR s.agent_id = :agent_id)
    AND (s.thread_id IS NULL OR s.thread_id = :thread_id
      OR s.kind IN ('conversation', 'summary') AND s.user_id = :user_id)
    AND (:collections IS NULL OR s.kind <> 'chunk'
      OR s.collection IN (SELECT x.collection FROM JSON_TABLE(:collections, '$[*]'
        COLUMNS (collection VARCHAR2(1000) PATH '$')) x))
    AND s.quarantined = FALSE AND s.valid_from <= TO_TIMESTAMP(:at_time)
    AND (s.valid_until IS NULL OR s.valid_until > TO_TIMESTAMP(:at_time))
    AND NOT EXISTS (
      SELECT 1 FROM JSON_TABLE(:excluded, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type',
        id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) x
      WHERE x.type = s.kind AND x.id = s.id AND x.version = s.version)
  ORDER BY VECTOR_DISTANCE(s.bits, :bits, HAMMING), s.kind, s.id, s.version
  FETCH EXACT FIRST :nearest ROWS ONLY
) n
JOIN mem_owner.memory_vector AS OF SCN :scn v ON v.kind = n.kind AND v.id = n.id AND v.version = n.version
WHERE v.tenant_id = :tenant_id AND (v.user_id IS NULL OR v.user_id = :user_id) AND v.part = :part
  AND v.embedder = :embedder
ORDER BY VECTOR_DISTANCE(v.vector, :vector, DOT), v.kind, v.id, v.version
FETCH EXACT FIRST :row_limit ROWS ONLY
