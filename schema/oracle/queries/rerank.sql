-- Raw scores (logits) of candidates in one statement. The names of the inputs, here first_input and second_input, are
-- those that the model was loaded with: rerank_inputs tells them, and they cannot be bound.
-- binds: question, candidates json
SELECT c.position, PREDICTION(mem_owner.mem_reranker USING :question AS first_input, c.text AS second_input) AS logit
FROM JSON_TABLE(:candidates, '$[*]' COLUMNS (position NUMBER PATH '$.position', text VARCHAR2(4000) PATH '$.text')) c
ORDER BY c.position
