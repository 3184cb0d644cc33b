-- Optional, by a DBA: Oracle Text over the four kinds of memory text, for people who look for a word with SQL of
-- their own (as mem_operator, under row security). The program does not need it: it analyses text once, alike for
-- every engine, and its searches read memory_posting, which a read AS OF an SCN sees as it was; a text index knows
-- only the present. SYNC (ON COMMIT) makes every commit of these tables wait for its index. Text of a user is never
-- query syntax: write each word as {word}.
CREATE INDEX IF NOT EXISTS mem_owner.entity_memory_text ON mem_owner.entity_memory (content)
INDEXTYPE IS CTXSYS.CONTEXT PARAMETERS ('SYNC (ON COMMIT)')
/
CREATE INDEX IF NOT EXISTS mem_owner.summarization_memory_text ON mem_owner.summarization_memory (summary)
INDEXTYPE IS CTXSYS.CONTEXT PARAMETERS ('SYNC (ON COMMIT)')
/
CREATE INDEX IF NOT EXISTS mem_owner.knowledge_base_chunk_text ON mem_owner.knowledge_base_chunk (content)
INDEXTYPE IS CTXSYS.CONTEXT PARAMETERS ('SYNC (ON COMMIT)')
/
-- The text of a turn stands in its payload; a search index over JSON serves JSON_TEXTCONTAINS.
CREATE SEARCH INDEX IF NOT EXISTS mem_owner.conversation_memory_text ON mem_owner.conversation_memory (payload)
FOR JSON PARAMETERS ('SYNC (ON COMMIT)')
/
