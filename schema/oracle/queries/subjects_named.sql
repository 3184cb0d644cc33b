-- Subjects that have one of these names, each with every name it has in scope.
-- binds: names json, agent_id, thread_id, at_time
-- context: tenant_id, user_id, scn
WITH named AS (
  SELECT m.subject FROM mem_owner.memory_name AS OF SCN :scn m
  WHERE m.tenant_id = :tenant_id AND (m.user_id IS NULL OR m.user_id = :user_id)
    AND (m.agent_id IS NULL OR m.agent_id = :agent_id) AND (m.thread_id IS NULL OR m.thread_id = :thread_id)
    AND m.quarantined = FALSE AND m.valid_from <= TO_TIMESTAMP(:at_time)
    AND (m.valid_until IS NULL OR m.valid_until > TO_TIMESTAMP(:at_time))
    AND m.name IN (SELECT x.name FROM JSON_TABLE(:names, '$[*]' COLUMNS (name VARCHAR2(1000) PATH '$')) x)
), visible AS (
  SELECT DISTINCT n.subject, n.name FROM mem_owner.memory_name AS OF SCN :scn n
  WHERE n.tenant_id = :tenant_id AND (n.user_id IS NULL OR n.user_id = :user_id)
    AND (n.agent_id IS NULL OR n.agent_id = :agent_id) AND (n.thread_id IS NULL OR n.thread_id = :thread_id)
    AND n.quarantined = FALSE AND n.valid_from <= TO_TIMESTAMP(:at_time)
    AND (n.valid_until IS NULL OR n.valid_until > TO_TIMESTAMP(:at_time))
    AND n.subject IN (SELECT d.subject FROM named d)
)
SELECT v.subject, JSON_ARRAYAGG(v.name ORDER BY v.name RETURNING JSON) AS names
FROM visible v
GROUP BY v.subject
ORDER BY v.subject
FETCH FIRST 500 ROWS ONLY
