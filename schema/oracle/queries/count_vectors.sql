-- How many vectors of the embedder of these kinds the caller can see, counted up to a bound; and whose vectors the store
-- holds by now: a process that was started before the change must not find nothing.
-- binds: part, kinds json, agent_id, thread_id, most number, embedder
-- context: tenant_id, user_id, scn
SELECT COUNT(*) AS vectors, mem_sec.embedder_switch.current_id AS embedder_id,
  mem_sec.embedder_switch.current_dimensions AS embedder_dimensions
FROM (
  SELECT v.id FROM mem_owner.memory_sign AS OF SCN :scn v
  WHERE v.embedder = :embedder AND v.part = :part AND v.tenant_id = :tenant_id
    AND (v.user_id = :user_id OR v.user_id IS NULL AND v.kind <> 'conversation')
    AND v.kind IN (SELECT x.kind FROM JSON_TABLE(:kinds, '$[*]' COLUMNS (kind VARCHAR2(32) PATH '$')) x)
    AND (v.agent_id IS NULL OR v.agent_id = :agent_id)
    AND (v.thread_id IS NULL OR v.thread_id = :thread_id
      OR v.kind IN ('conversation', 'summary') AND v.user_id = :user_id)
  FETCH FIRST :most ROWS ONLY
) visible
