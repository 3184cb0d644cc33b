-- An end user's own digests of threads, and compressions of one source at more than one length.

-- Of each thread at most one digest is current.
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.summarization_memory_digest ON mem_owner.summarization_memory (
  CASE WHEN task_type = 'thread_digest' AND valid_until IS NULL AND deleted_at IS NULL THEN tenant_id END,
  CASE WHEN task_type = 'thread_digest' AND valid_until IS NULL AND deleted_at IS NULL THEN user_id END,
  CASE WHEN task_type = 'thread_digest' AND valid_until IS NULL AND deleted_at IS NULL THEN thread_id END,
  CASE WHEN task_type = 'thread_digest' AND valid_until IS NULL AND deleted_at IS NULL THEN agent_id END
)
/
-- An end user writes digests and no other summaries; it holds beside the policies of 005, which say whose they may be.
CREATE OR REPLACE PACKAGE mem_sec.digest_policy AUTHID DEFINER AS
  FUNCTION digests(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2;
END digest_policy;
/
CREATE OR REPLACE PACKAGE BODY mem_sec.digest_policy AS
  FUNCTION digests(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    IF SYS_CONTEXT('MEMORY_CTX', 'KIND') = 'operator' THEN
      RETURN '1 = 1';
    END IF;
    RETURN 'task_type = ''thread_digest'' AND thread_id IS NOT NULL AND trust = ''derived''';
  END digests;
END digest_policy;
/
DECLARE
  PROCEDURE guard(p_table VARCHAR2, p_suffix VARCHAR2, p_function VARCHAR2, p_statements VARCHAR2) IS
    e_exists EXCEPTION;
    PRAGMA EXCEPTION_INIT(e_exists, -28101);
  BEGIN
    DBMS_RLS.ADD_POLICY(
      object_schema => 'MEM_OWNER', object_name => p_table, policy_name => p_table || p_suffix,
      function_schema => 'MEM_SEC', policy_function => 'DIGEST_POLICY.' || p_function,
      statement_types => p_statements, update_check => TRUE);
  EXCEPTION
    WHEN e_exists THEN
      NULL;
  END guard;
BEGIN
  guard('SUMMARIZATION_MEMORY', '_DIGEST', 'DIGESTS', 'INSERT,UPDATE,DELETE');
END;
/
-- Granted after the policy stands.
GRANT INSERT, UPDATE (valid_until) ON mem_owner.summarization_memory TO mem_app
/
-- A policy with a smaller slice needs a shorter text of the same source.
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.context_compression_length ON mem_owner.context_compression
  (tenant_id, source_type, source_id, source_version, source_hash, model, prompt_version, user_id, tokens)
/
DROP INDEX IF EXISTS mem_owner.context_compression_source
/
