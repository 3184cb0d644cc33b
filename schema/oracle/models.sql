-- Optional, by a DBA: an embedding model and a reranker in the database, from ONNX files that hold their tokenizers
-- (as OML4Py's pipelines export them), in a directory of the database's host. Run as they are, the models are called
-- MEM_EMBEDDER and MEM_RERANKER, which is what CONTEXT_EMBEDDER_MODEL and CONTEXT_RERANKER_MODEL then say; more models
-- can be loaded under other names of the same owner, each with its grants. The tensors of a reranker are named by the
-- file's maker, so they are asked for here. What they are called in SQL the server asks for (database_models): the
-- question is the one whose name sorts first. Its output is a raw score, which may be negative.
SET DEFINE ON
SET VERIFY OFF
CREATE OR REPLACE DIRECTORY mem_models AS '&&model_folder'
/
GRANT READ ON DIRECTORY mem_models TO mem_owner
/
-- A model that stands is replaced: drop_onnx_model fails where there is none unless it is forced.
BEGIN
  DBMS_VECTOR.DROP_ONNX_MODEL(model_name => 'MEM_OWNER.MEM_EMBEDDER', force => TRUE);
  DBMS_VECTOR.LOAD_ONNX_MODEL(
    directory => 'MEM_MODELS', file_name => '&&embedder_file', model_name => 'MEM_OWNER.MEM_EMBEDDER',
    metadata => JSON('{"function": "embedding", "embeddingOutput": "embedding", "input": {"input": ["DATA"]}}'));
END;
/
BEGIN
  DBMS_VECTOR.DROP_ONNX_MODEL(model_name => 'MEM_OWNER.MEM_RERANKER', force => TRUE);
  DBMS_VECTOR.LOAD_ONNX_MODEL(
    directory => 'MEM_MODELS', file_name => '&&reranker_file', model_name => 'MEM_OWNER.MEM_RERANKER',
    metadata => JSON('{"function": "regression", "regressionOutput": "logits",
      "input": {"&&first_tensor": ["FIRST_INPUT"], "&&second_tensor": ["SECOND_INPUT"]}}'));
END;
/
GRANT SELECT ON MINING MODEL mem_owner.mem_embedder TO mem_app, mem_operator
/
GRANT SELECT ON MINING MODEL mem_owner.mem_reranker TO mem_app
/
-- What the server will see: one input of the embedder, and two of the reranker, the question's first.
SELECT a.model_name, a.attribute_name, a.vector_info
FROM ALL_MINING_MODEL_ATTRIBUTES a
WHERE a.owner = 'MEM_OWNER'
ORDER BY a.model_name, a.attribute_name
/
