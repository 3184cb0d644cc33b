-- Rows that the caller can find, their average lengths by field, and for each term, in the order asked, how many of
-- them hold it, counted up to a bound.
-- binds: terms json, kinds json, agent_id, thread_id, at_time, most number
-- context: tenant_id, user_id, scn
WITH visible AS (
  SELECT m.kind, m.id, m.version, m.title_length, m.date_length, m.body_length, m.context_length
  FROM mem_owner.memory_term AS OF SCN :scn m
  WHERE m.tenant_id = :tenant_id
    AND (m.user_id = :user_id OR m.user_id IS NULL AND m.kind <> 'conversation')
    AND m.kind IN (SELECT x.kind FROM JSON_TABLE(:kinds, '$[*]' COLUMNS (kind VARCHAR2(32) PATH '$')) x)
    AND (m.agent_id IS NULL OR m.agent_id = :agent_id)
    AND (m.thread_id IS NULL OR m.thread_id = :thread_id
      OR m.kind IN ('conversation', 'summary') AND m.user_id = :user_id)
    AND m.quarantined = FALSE AND m.valid_from <= TO_TIMESTAMP(:at_time)
    AND (m.valid_until IS NULL OR m.valid_until > TO_TIMESTAMP(:at_time))
), asked AS (
  SELECT t.position, t.term
  FROM JSON_TABLE(:terms, '$[*]' COLUMNS (position FOR ORDINALITY, term VARCHAR2(255) PATH '$')) t
), held AS (
  SELECT p.term, LEAST(COUNT(*), :most) AS frequency
  FROM mem_owner.memory_posting AS OF SCN :scn p
  JOIN visible v ON v.kind = p.kind AND v.id = p.id AND v.version = p.version
  WHERE p.tenant_id = :tenant_id AND (p.user_id IS NULL OR p.user_id = :user_id)
    AND p.term IN (SELECT a.term FROM asked a)
  GROUP BY p.term
)
SELECT (SELECT COUNT(*) FROM visible n) AS documents,
  (SELECT JSON_ARRAY(NVL(AVG(l.title_length), 0), NVL(AVG(l.date_length), 0), NVL(AVG(l.body_length), 0),
      NVL(AVG(l.context_length), 0) RETURNING JSON) FROM visible l) AS average_lengths,
  (SELECT JSON_ARRAYAGG(NVL(h.frequency, 0) ORDER BY a.position RETURNING JSON)
    FROM asked a LEFT JOIN held h ON h.term = a.term) AS frequencies
FROM DUAL
