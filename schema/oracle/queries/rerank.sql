-- Raw scores (logits) of candidates, in their order, in one statement. As in embed, the names in quotation marks stand
-- for those of the model that is used: the question is its first input, the text its second.
-- binds: question, texts json
SELECT PREDICTION(mem_owner."MEM_RERANKER" USING :question AS "FIRST_INPUT", c.text AS "SECOND_INPUT") AS logit
FROM JSON_TABLE(:texts, '$[*]' COLUMNS (position FOR ORDINALITY, text VARCHAR2(4000) PATH '$')) c
ORDER BY c.position
