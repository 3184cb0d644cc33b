-- The tenant's rows by table.
-- binds: none
SELECT 'guideline_memory' AS name, COUNT(*) AS "ROWS" FROM mem_owner.guideline_memory
UNION ALL SELECT 'persona_memory' AS name, COUNT(*) AS "ROWS" FROM mem_owner.persona_memory
UNION ALL SELECT 'toolbox_memory' AS name, COUNT(*) AS "ROWS" FROM mem_owner.toolbox_memory
UNION ALL SELECT 'entity_memory' AS name, COUNT(*) AS "ROWS" FROM mem_owner.entity_memory
UNION ALL SELECT 'workflow_memory' AS name, COUNT(*) AS "ROWS" FROM mem_owner.workflow_memory
UNION ALL SELECT 'summarization_memory' AS name, COUNT(*) AS "ROWS" FROM mem_owner.summarization_memory
UNION ALL SELECT 'conversation_memory' AS name, COUNT(*) AS "ROWS" FROM mem_owner.conversation_memory
UNION ALL SELECT 'knowledge_base_document' AS name, COUNT(*) AS "ROWS" FROM mem_owner.knowledge_base_document
UNION ALL SELECT 'knowledge_base_chunk' AS name, COUNT(*) AS "ROWS" FROM mem_owner.knowledge_base_chunk
UNION ALL SELECT 'context_compression' AS name, COUNT(*) AS "ROWS" FROM mem_owner.context_compression
UNION ALL SELECT 'context_source_ref' AS name, COUNT(*) AS "ROWS" FROM mem_owner.context_source_ref
UNION ALL SELECT 'memory_link' AS name, COUNT(*) AS "ROWS" FROM mem_owner.memory_link
UNION ALL SELECT 'thread' AS name, COUNT(*) AS "ROWS" FROM mem_owner.thread
UNION ALL SELECT 'context_run' AS name, COUNT(*) AS "ROWS" FROM mem_owner.context_run
UNION ALL SELECT 'issued_memory' AS name, COUNT(*) AS "ROWS" FROM mem_owner.issued_memory
UNION ALL SELECT 'memory_term' AS name, COUNT(*) AS "ROWS" FROM mem_owner.memory_term
UNION ALL SELECT 'memory_posting' AS name, COUNT(*) AS "ROWS" FROM mem_owner.memory_posting
UNION ALL SELECT 'memory_vector' AS name, COUNT(*) AS "ROWS" FROM mem_owner.memory_vector
UNION ALL SELECT 'memory_sign' AS name, COUNT(*) AS "ROWS" FROM mem_owner.memory_sign
UNION ALL SELECT 'memory_name' AS name, COUNT(*) AS "ROWS" FROM mem_owner.memory_name
UNION ALL SELECT 'token_count' AS name, COUNT(*) AS "ROWS" FROM mem_owner.token_count
UNION ALL SELECT 'deletion_events' AS name, COUNT(*) AS "ROWS" FROM mem_owner.deletion_events
ORDER BY name
