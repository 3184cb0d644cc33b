-- What runs with the rights of an owner, each as narrow as it can be: the position of a read, the counter of a thread's
-- turns, the lock on the sources of derived rows. Row security holds inside them as it does outside.

GRANT SELECT ON mem_owner.store_setting TO mem_sec
/
-- Where the database stands now; what is read AS OF it sees all that had been committed.
CREATE OR REPLACE FUNCTION mem_sec.current_scn RETURN NUMBER AUTHID DEFINER IS
BEGIN
  RETURN DBMS_FLASHBACK.GET_SYSTEM_CHANGE_NUMBER;
END current_scn;
/
-- Which database it is. One that was opened with RESETLOGS counts the same SCNs anew, in the whole container or in this
-- pluggable database alone.
CREATE OR REPLACE FUNCTION mem_sec.incarnation RETURN VARCHAR2 AUTHID DEFINER IS
  v_incarnation VARCHAR2(4000);
BEGIN
  SELECT s.value || '/' || d.dbid || '/' || d.resetlogs_change# || '/' || (
      SELECT MAX(p.db_incarnation# || '.' || p.pdb_incarnation#)
      FROM sys.v_$pdb_incarnation p WHERE p.status = 'CURRENT')
    INTO v_incarnation
    FROM mem_owner.store_setting s CROSS JOIN sys.v_$database d
    WHERE s.name = 'incarnation';
  RETURN v_incarnation;
END incarnation;
/
-- The thread's row gives the indexes and stays locked until the transaction ends, so writers of one thread stand in
-- line; p_count 0 locks alone.
CREATE OR REPLACE PACKAGE mem_owner.turn_counter AUTHID DEFINER AS
  -- Takes p_count indexes of a thread and gives the first; makes the thread where there is none.
  FUNCTION take(p_tenant_id VARCHAR2, p_user_id VARCHAR2, p_agent_id VARCHAR2, p_thread_id VARCHAR2, p_count NUMBER)
    RETURN NUMBER;
END turn_counter;
/
CREATE OR REPLACE PACKAGE BODY mem_owner.turn_counter AS
  FUNCTION take(p_tenant_id VARCHAR2, p_user_id VARCHAR2, p_agent_id VARCHAR2, p_thread_id VARCHAR2, p_count NUMBER)
    RETURN NUMBER
  IS
    v_next NUMBER;

    FUNCTION advanced RETURN BOOLEAN IS
    BEGIN
      UPDATE mem_owner.thread t SET t.next_turn_index = t.next_turn_index + p_count
        WHERE t.tenant_id = p_tenant_id AND t.user_id = p_user_id AND t.agent_key = NVL(p_agent_id, CHR(1))
          AND t.thread_id = p_thread_id
        RETURNING t.next_turn_index INTO v_next;
      RETURN SQL%ROWCOUNT = 1;
    END advanced;
  BEGIN
    IF advanced THEN
      RETURN v_next - p_count;
    END IF;
    INSERT INTO mem_owner.thread (tenant_id, user_id, agent_id, thread_id, next_turn_index, created_at)
      VALUES (p_tenant_id, p_user_id, p_agent_id, p_thread_id, 1 + p_count, SYS_EXTRACT_UTC(SYSTIMESTAMP));
    RETURN 1;
  EXCEPTION
    -- Another writer made the thread between the two, and has committed.
    WHEN DUP_VAL_ON_INDEX THEN
      IF advanced THEN
        RETURN v_next - p_count;
      END IF;
      RAISE;
  END take;
END turn_counter;
/
-- Locks the sources of derived rows until the transaction ends, kind by kind in order of ids; locks nothing that the
-- caller cannot see. An erasure must not slip in between.
CREATE OR REPLACE PACKAGE mem_owner.source_lock AUTHID DEFINER AS
  -- Takes refs as an array of {type, id, version}.
  PROCEDURE hold(p_refs JSON);
END source_lock;
/
CREATE OR REPLACE PACKAGE BODY mem_owner.source_lock AS
  PROCEDURE hold(p_refs JSON) IS
    v_tenant_id VARCHAR2(255) := SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID');
    CURSOR documents IS
      SELECT d.id FROM mem_owner.knowledge_base_document d
      WHERE d.tenant_id = v_tenant_id AND d.id IN (
        SELECT c.document_id FROM mem_owner.knowledge_base_chunk c
        JOIN JSON_TABLE(p_refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id')) r
          ON r.type = 'chunk' AND r.id = c.id
        WHERE c.tenant_id = v_tenant_id)
      ORDER BY d.id FOR UPDATE;
    CURSOR chunks IS
      SELECT c.id FROM mem_owner.knowledge_base_chunk c
      WHERE c.tenant_id = v_tenant_id AND c.id IN (
        SELECT r.id FROM JSON_TABLE(p_refs, '$[*]'
          COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id')) r WHERE r.type = 'chunk')
      ORDER BY c.id FOR UPDATE;
    CURSOR events IS
      SELECT c.event_id FROM mem_owner.conversation_memory c
      WHERE c.tenant_id = v_tenant_id AND c.event_id IN (
        SELECT r.id FROM JSON_TABLE(p_refs, '$[*]'
          COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id')) r WHERE r.type = 'conversation')
      ORDER BY c.event_id FOR UPDATE;
    CURSOR entities IS
      SELECT e.id FROM mem_owner.entity_memory e
      WHERE e.tenant_id = v_tenant_id AND e.id IN (
        SELECT r.id FROM JSON_TABLE(p_refs, '$[*]'
          COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id')) r WHERE r.type = 'entity')
      ORDER BY e.id FOR UPDATE;
    CURSOR summaries IS
      SELECT s.id FROM mem_owner.summarization_memory s
      WHERE s.tenant_id = v_tenant_id AND s.id IN (
        SELECT r.id FROM JSON_TABLE(p_refs, '$[*]'
          COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id')) r WHERE r.type = 'summary')
      ORDER BY s.id FOR UPDATE;
    CURSOR workflows IS
      SELECT w.id FROM mem_owner.workflow_memory w
      WHERE w.tenant_id = v_tenant_id AND w.id IN (
        SELECT r.id FROM JSON_TABLE(p_refs, '$[*]'
          COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id')) r WHERE r.type = 'workflow')
      ORDER BY w.id FOR UPDATE;
  BEGIN
    -- Opening a cursor locks all its rows; the locks outlive it.
    OPEN documents;
    CLOSE documents;
    OPEN chunks;
    CLOSE chunks;
    OPEN events;
    CLOSE events;
    OPEN entities;
    CLOSE entities;
    OPEN summaries;
    CLOSE summaries;
    OPEN workflows;
    CLOSE workflows;
  END hold;
END source_lock;
/
GRANT EXECUTE ON mem_sec.current_scn TO mem_app, mem_operator
/
GRANT EXECUTE ON mem_sec.incarnation TO mem_app, mem_operator
/
GRANT EXECUTE ON mem_owner.turn_counter TO mem_app, mem_operator
/
GRANT EXECUTE ON mem_owner.source_lock TO mem_app, mem_operator
/
