-- The inputs of the reranker, by name: the question first, the text second.
-- binds: none
SELECT a.attribute_name
FROM ALL_MINING_MODEL_ATTRIBUTES a
WHERE a.owner = 'MEM_OWNER' AND a.model_name = 'MEM_RERANKER' AND a.target = 'NO'
ORDER BY a.attribute_name
