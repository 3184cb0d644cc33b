-- Vectors of texts, in their order, by a model of the owner. Names of a model and of its input cannot be bound: those
-- that stand here in quotation marks give way to those that database_models tells, which are checked first.
-- binds: texts json
SELECT VECTOR_EMBEDDING(mem_owner."MEM_EMBEDDER" USING t.text AS "DATA") AS vector
FROM JSON_TABLE(:texts, '$[*]' COLUMNS (position FOR ORDINALITY, text VARCHAR2(4000) PATH '$')) t
ORDER BY t.position
