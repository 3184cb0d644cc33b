-- Makes this embedder the store's, if no memory of any tenant lacks its vectors.
-- binds: embedder, dimensions number
DECLARE
  v_switched BOOLEAN;
BEGIN
  v_switched := mem_sec.operator_switch.switch_to(:embedder, :dimensions);
  SELECT JSON_ARRAY(JSON_OBJECT('switched' VALUE v_switched RETURNING JSON) RETURNING JSON) INTO :result FROM DUAL;
END;
