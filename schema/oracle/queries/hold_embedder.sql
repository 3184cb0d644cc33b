-- Whose vectors the store holds, which does not change until the transaction ends.
-- binds: none
BEGIN
  mem_sec.embedder_switch.hold_shared;
  SELECT JSON_ARRAY(JSON_OBJECT('embedder_id' VALUE mem_sec.embedder_switch.current_id,
      'embedder_dimensions' VALUE mem_sec.embedder_switch.current_dimensions RETURNING JSON) RETURNING JSON)
    INTO :result
    FROM DUAL;
END;
