-- Optional, by a DBA: keeps what past reads need for longer than undo does. Without it a window can be replayed as
-- long as undo_retention and the undo tablespace allow (ORA-01555 afterwards: its history is gone). What is archived
-- cannot be changed, nor erased before its time: replay asks for present authorization and for every dependency's
-- deletion first. Derived tables are not archived: replay uses the scores that a manifest holds. On Autonomous
-- Database an archive exists already: leave out the first statement and name flashback_archive in the others.
SET DEFINE ON
SET VERIFY OFF
CREATE FLASHBACK ARCHIVE memory_archive TABLESPACE &&tablespace RETENTION 60 DAY
/
ALTER TABLE mem_owner.guideline_memory FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.persona_memory FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.toolbox_memory FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.entity_memory FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.workflow_memory FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.summarization_memory FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.conversation_memory FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.knowledge_base_document FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.knowledge_base_chunk FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.context_compression FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.context_source_ref FLASHBACK ARCHIVE memory_archive
/
ALTER TABLE mem_owner.memory_link FLASHBACK ARCHIVE memory_archive
/
