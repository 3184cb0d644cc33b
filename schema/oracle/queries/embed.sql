-- A vector by the model that models.sql loaded.
-- binds: text_value
SELECT VECTOR_EMBEDDING(mem_owner.mem_embedder USING :text_value AS data) AS vector FROM DUAL
