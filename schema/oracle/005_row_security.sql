-- Who may see and do what: a policy on every table by name, then grants. Default deny: without a context no row is
-- seen, and none can be written. update_check is TRUE everywhere: without it an insert would go unchecked.

DECLARE
  PROCEDURE guard(p_table VARCHAR2, p_suffix VARCHAR2, p_function VARCHAR2, p_statements VARCHAR2) IS
    e_exists EXCEPTION;
    PRAGMA EXCEPTION_INIT(e_exists, -28101);
  BEGIN
    DBMS_RLS.ADD_POLICY(
      object_schema => 'MEM_OWNER', object_name => p_table, policy_name => p_table || p_suffix,
      function_schema => 'MEM_SEC', policy_function => 'MEM_POLICY.' || p_function,
      statement_types => p_statements, update_check => TRUE);
  EXCEPTION
    WHEN e_exists THEN
      NULL;
  END guard;

  -- Both conditions hold for a write: it must be visible and one's own.
  PROCEDURE guard_rows(p_table VARCHAR2) IS
  BEGIN
    guard(p_table, '_SEEN', 'VISIBLE', 'SELECT,INSERT,UPDATE,DELETE');
    guard(p_table, '_OWNED', 'WRITABLE', 'INSERT,UPDATE,DELETE');
  END guard_rows;
BEGIN
  guard_rows('GUIDELINE_MEMORY');
  guard_rows('PERSONA_MEMORY');
  guard_rows('TOOLBOX_MEMORY');
  guard_rows('ENTITY_MEMORY');
  guard_rows('WORKFLOW_MEMORY');
  guard_rows('SUMMARIZATION_MEMORY');
  guard_rows('CONVERSATION_MEMORY');
  guard_rows('KNOWLEDGE_BASE_DOCUMENT');
  guard_rows('KNOWLEDGE_BASE_CHUNK');
  guard_rows('CONTEXT_COMPRESSION');
  guard_rows('CONTEXT_SOURCE_REF');
  guard_rows('MEMORY_LINK');
  guard_rows('THREAD');
  guard_rows('CONTEXT_RUN');
  guard_rows('ISSUED_MEMORY');
  guard_rows('DELETION_EVENTS');
  guard_rows('MEMORY_TERM');
  guard_rows('MEMORY_POSTING');
  guard_rows('MEMORY_VECTOR');
  guard_rows('MEMORY_SIGN');
  guard_rows('MEMORY_NAME');
  guard_rows('TOKEN_COUNT');
  -- These two say nothing of anybody; all may read them, and only migrations have the grants to write.
  guard('SCHEMA_VERSION', '_SEEN', 'EVERYONE', 'SELECT');
  guard('STORE_SETTING', '_SEEN', 'EVERYONE', 'SELECT');
END;
/
GRANT SELECT ON mem_owner.schema_version TO mem_app, mem_operator
/
GRANT SELECT ON mem_owner.store_setting TO mem_app, mem_operator
/
-- FLASHBACK is what a read AS OF an SCN needs, a table at a time.
GRANT SELECT, FLASHBACK ON mem_owner.guideline_memory TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.persona_memory TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.toolbox_memory TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.entity_memory TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.workflow_memory TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.summarization_memory TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.conversation_memory TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.knowledge_base_document TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.knowledge_base_chunk TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.context_compression TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.context_source_ref TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.memory_link TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.thread TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.context_run TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.issued_memory TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.deletion_events TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.memory_term TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.memory_posting TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.memory_vector TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.memory_sign TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.memory_name TO mem_app, mem_operator
/
GRANT SELECT, FLASHBACK ON mem_owner.token_count TO mem_app, mem_operator
/
GRANT SELECT ON mem_owner.indexable TO mem_app, mem_operator
/
GRANT SELECT ON mem_owner.known_version TO mem_app, mem_operator
/
-- Canonical rows are appended and retired; nobody rewrites their content at run time.
GRANT INSERT, UPDATE (valid_until, superseded_by) ON mem_owner.guideline_memory TO mem_app
/
GRANT INSERT, UPDATE (valid_until, superseded_by) ON mem_owner.toolbox_memory TO mem_app
/
GRANT INSERT, UPDATE (valid_until, superseded_by) ON mem_owner.entity_memory TO mem_app
/
GRANT INSERT, UPDATE (valid_until, superseded_by) ON mem_owner.workflow_memory TO mem_app
/
GRANT INSERT, UPDATE (valid_until, superseded_by) ON mem_owner.knowledge_base_document TO mem_app
/
GRANT INSERT ON mem_owner.knowledge_base_chunk TO mem_app
/
GRANT INSERT ON mem_owner.conversation_memory TO mem_app
/
GRANT INSERT ON mem_owner.context_compression TO mem_app
/
GRANT INSERT ON mem_owner.context_source_ref TO mem_app
/
GRANT INSERT ON mem_owner.memory_link TO mem_app
/
GRANT INSERT ON mem_owner.issued_memory TO mem_app
/
GRANT INSERT, UPDATE (rounds_used, tokens_left, last_call_at) ON mem_owner.context_run TO mem_app
/
GRANT INSERT, DELETE ON mem_owner.memory_term TO mem_app, mem_operator
/
GRANT INSERT, DELETE ON mem_owner.memory_posting TO mem_app, mem_operator
/
GRANT INSERT, DELETE ON mem_owner.memory_vector TO mem_app, mem_operator
/
GRANT INSERT, DELETE ON mem_owner.memory_sign TO mem_app, mem_operator
/
GRANT INSERT, DELETE ON mem_owner.memory_name TO mem_app, mem_operator
/
GRANT INSERT, UPDATE (tokens, content_hash) ON mem_owner.token_count TO mem_app, mem_operator
/
GRANT INSERT, UPDATE (valid_until, superseded_by, quarantined_at, quarantine_reason)
  ON mem_owner.guideline_memory TO mem_operator
/
GRANT INSERT, UPDATE (valid_until, superseded_by, quarantined_at, quarantine_reason)
  ON mem_owner.toolbox_memory TO mem_operator
/
GRANT INSERT, UPDATE (valid_until, superseded_by, quarantined_at, quarantine_reason)
  ON mem_owner.entity_memory TO mem_operator
/
GRANT INSERT, UPDATE (valid_until, superseded_by, quarantined_at, quarantine_reason)
  ON mem_owner.workflow_memory TO mem_operator
/
GRANT INSERT, UPDATE (valid_until, superseded_by, quarantined_at, quarantine_reason)
  ON mem_owner.knowledge_base_document TO mem_operator
/
GRANT INSERT, UPDATE (valid_until, quarantined_at, quarantine_reason) ON mem_owner.persona_memory TO mem_operator
/
GRANT INSERT, UPDATE (valid_until, quarantined_at, quarantine_reason) ON mem_owner.summarization_memory TO mem_operator
/
GRANT INSERT, UPDATE (quarantined_at, quarantine_reason) ON mem_owner.knowledge_base_chunk TO mem_operator
/
GRANT INSERT, UPDATE (quarantined_at, quarantine_reason) ON mem_owner.conversation_memory TO mem_operator
/
GRANT INSERT ON mem_owner.context_compression TO mem_operator
/
GRANT INSERT ON mem_owner.context_source_ref TO mem_operator
/
GRANT INSERT ON mem_owner.memory_link TO mem_operator
/
GRANT INSERT ON mem_owner.deletion_events TO mem_operator
/
