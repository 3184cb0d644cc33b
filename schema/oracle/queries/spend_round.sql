-- Spends a round and tokens, unless another call came first.
-- binds: run_id, tokens number, rounds_used_before number
-- context: tenant_id
DECLARE
  v_spent NUMBER;
BEGIN
  UPDATE mem_owner.context_run r
    SET r.rounds_used = r.rounds_used + 1, r.tokens_left = r.tokens_left - :tokens,
      r.last_call_at = SYS_EXTRACT_UTC(SYSTIMESTAMP)
    WHERE r.tenant_id = :tenant_id AND r.run_id = :run_id AND r.rounds_used = :rounds_used_before;
  v_spent := SQL%ROWCOUNT;
  SELECT JSON_ARRAYAGG(JSON_OBJECT('run_id' VALUE :run_id RETURNING JSON) RETURNING JSON) INTO :result
    FROM DUAL WHERE v_spent = 1;
END;
