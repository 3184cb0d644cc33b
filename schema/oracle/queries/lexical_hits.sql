-- The best rows by the summed weights of the chosen terms they hold; of each, all asked terms that it holds, with
-- their frequencies by field. Weights are whole numbers, so that a sum has no order.
-- binds: terms json, weights json, kinds json, collections json, excluded json, agent_id, thread_id, at_time,
--   row_limit number, asked json
-- context: tenant_id, user_id, scn
WITH chosen AS (
  SELECT t.term, w.weight
  FROM JSON_TABLE(:terms, '$[*]' COLUMNS (position FOR ORDINALITY, term VARCHAR2(255) PATH '$')) t
  JOIN JSON_TABLE(:weights, '$[*]' COLUMNS (position FOR ORDINALITY, weight NUMBER PATH '$')) w
    ON w.position = t.position
), candidate AS (
  SELECT m.kind, m.id, m.version, SUM(t.weight) AS score
  FROM chosen t
  JOIN mem_owner.memory_posting AS OF SCN :scn p ON p.term = t.term
  JOIN mem_owner.memory_term AS OF SCN :scn m
    ON m.tenant_id = p.tenant_id AND m.kind = p.kind AND m.id = p.id AND m.version = p.version
  WHERE p.tenant_id = :tenant_id AND (p.user_id IS NULL OR p.user_id = :user_id)
    AND m.tenant_id = :tenant_id
    AND (m.user_id = :user_id OR m.user_id IS NULL AND m.kind <> 'conversation')
    AND m.kind IN (SELECT x.kind FROM JSON_TABLE(:kinds, '$[*]' COLUMNS (kind VARCHAR2(32) PATH '$')) x)
    AND (m.agent_id IS NULL OR m.agent_id = :agent_id)
    AND (m.thread_id IS NULL OR m.thread_id = :thread_id
      OR m.kind IN ('conversation', 'summary') AND m.user_id = :user_id)
    AND (:collections IS NULL OR m.kind <> 'chunk'
      OR m.collection IN (SELECT x.collection FROM JSON_TABLE(:collections, '$[*]'
        COLUMNS (collection VARCHAR2(1000) PATH '$')) x))
    AND m.quarantined = FALSE AND m.valid_from <= TO_TIMESTAMP(:at_time)
    AND (m.valid_until IS NULL OR m.valid_until > TO_TIMESTAMP(:at_time))
    AND NOT EXISTS (
      SELECT 1 FROM JSON_TABLE(:excluded, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type',
        id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) x
      WHERE x.type = m.kind AND x.id = m.id AND x.version = m.version)
  GROUP BY m.kind, m.id, m.version
  ORDER BY SUM(t.weight) DESC, m.kind, m.id, m.version
  FETCH FIRST :row_limit ROWS ONLY
), held AS (
  SELECT p.kind, p.id, p.version, JSON_ARRAYAGG(p.term ORDER BY p.term RETURNING JSON) AS terms,
    JSON_ARRAYAGG(JSON_ARRAY(p.title_count, p.date_count, p.body_count, p.context_count RETURNING JSON)
      ORDER BY p.term RETURNING JSON) AS frequencies
  FROM candidate c
  JOIN mem_owner.memory_posting AS OF SCN :scn p ON p.kind = c.kind AND p.id = c.id AND p.version = c.version
  WHERE p.tenant_id = :tenant_id AND (p.user_id IS NULL OR p.user_id = :user_id)
    AND p.term IN (SELECT x.term FROM JSON_TABLE(:asked, '$[*]' COLUMNS (term VARCHAR2(255) PATH '$')) x)
  GROUP BY p.kind, p.id, p.version
)
SELECT m.kind AS type, m.id, m.version, m.group_id,
  JSON_ARRAY(m.title_length, m.date_length, m.body_length, m.context_length RETURNING JSON) AS lengths,
  h.terms, h.frequencies
FROM candidate c
JOIN mem_owner.memory_term AS OF SCN :scn m ON m.kind = c.kind AND m.id = c.id AND m.version = c.version
JOIN held h ON h.kind = c.kind AND h.id = c.id AND h.version = c.version
WHERE m.tenant_id = :tenant_id AND (m.user_id IS NULL OR m.user_id = :user_id)
ORDER BY c.score DESC, m.kind, m.id, m.version
