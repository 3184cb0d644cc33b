-- The tenant's rows by table
-- binds: none
select 'guideline_memory' as name, count(*) as rows from memory.guideline_memory
union all select 'persona_memory' as name, count(*) as rows from memory.persona_memory
union all select 'toolbox_memory' as name, count(*) as rows from memory.toolbox_memory
union all select 'entity_memory' as name, count(*) as rows from memory.entity_memory
union all select 'workflow_memory' as name, count(*) as rows from memory.workflow_memory
union all select 'summarization_memory' as name, count(*) as rows from memory.summarization_memory
union all select 'conversation_memory' as name, count(*) as rows from memory.conversation_memory
union all select 'knowledge_base_document' as name, count(*) as rows from memory.knowledge_base_document
union all select 'knowledge_base_chunk' as name, count(*) as rows from memory.knowledge_base_chunk
union all select 'context_compression' as name, count(*) as rows from memory.context_compression
union all select 'context_source_ref' as name, count(*) as rows from memory.context_source_ref
union all select 'memory_link' as name, count(*) as rows from memory.memory_link
union all select 'thread' as name, count(*) as rows from memory.thread
union all select 'context_run' as name, count(*) as rows from memory.context_run
union all select 'issued_memory' as name, count(*) as rows from memory.issued_memory
union all select 'memory_term' as name, count(*) as rows from memory.memory_term
union all select 'memory_vector' as name, count(*) as rows from memory.memory_vector
union all select 'memory_sign' as name, count(*) as rows from memory.memory_sign
union all select 'memory_name' as name, count(*) as rows from memory.memory_name
union all select 'token_count' as name, count(*) as rows from memory.token_count
union all select 'deletion_events' as name, count(*) as rows from memory.deletion_events
order by 1
