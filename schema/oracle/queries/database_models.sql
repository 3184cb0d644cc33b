-- The owner's models that the login may use: what each is for, the names of its inputs, of an embedder the type of its
-- vectors. A model that was not granted is not there.
-- binds: none
SELECT m.model_name AS name, m.mining_function AS purpose, (
    SELECT JSON_ARRAYAGG(i.attribute_name ORDER BY i.attribute_name RETURNING JSON)
    FROM ALL_MINING_MODEL_ATTRIBUTES i
    WHERE i.owner = m.owner AND i.model_name = m.model_name AND i.attribute_name <> 'ORA$ONNXTARGET'
  ) AS inputs, (
    SELECT MAX(o.vector_info) FROM ALL_MINING_MODEL_ATTRIBUTES o
    WHERE o.owner = m.owner AND o.model_name = m.model_name AND o.attribute_name = 'ORA$ONNXTARGET'
  ) AS vector_type
FROM ALL_MINING_MODELS m
WHERE m.owner = 'MEM_OWNER'
ORDER BY m.model_name
