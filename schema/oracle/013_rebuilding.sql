-- What is derived is made anew while searches go on with what stands: vectors of several embedders stand side by side,
-- and each indexed text says which analysis of text it was made by.

-- A file that failed half-way is run again: what is there already is left as it is. Columns with a default are added
-- without a look at the rows, which nobody but their tenants could see.
DECLARE
  v_embedder VARCHAR2(255);
  PROCEDURE change(p_statement VARCHAR2, p_known NUMBER) IS
  BEGIN
    EXECUTE IMMEDIATE p_statement;
  EXCEPTION
    WHEN OTHERS THEN
      IF SQLCODE <> p_known THEN
        RAISE;
      END IF;
  END change;
BEGIN
  SELECT NVL(MAX(s.value), '-') INTO v_embedder FROM mem_owner.store_setting s WHERE s.name = 'embedder_id';
  -- By which analysis the rows were made that are there already, nobody knows any more.
  change('ALTER TABLE mem_owner.memory_term ADD (analysis NUMBER(9) DEFAULT 0 NOT NULL)', -1430);
  change('ALTER TABLE mem_owner.memory_sign ADD (embedder VARCHAR2(255 BYTE) DEFAULT '
    || DBMS_ASSERT.ENQUOTE_LITERAL(REPLACE(v_embedder, CHR(39), CHR(39) || CHR(39))) || ' NOT NULL)', -1430);
  -- A vector that is null stands for a text in which its embedder knows nothing.
  change('ALTER TABLE mem_owner.memory_vector MODIFY (vector NULL)', -1451);
  -- The embedder stands last in the keys, so that all vectors of a memory are found by its ref.
  change('ALTER TABLE mem_owner.memory_vector DROP PRIMARY KEY', -2441);
  change('ALTER TABLE mem_owner.memory_vector ADD CONSTRAINT memory_vector_pk'
    || ' PRIMARY KEY (tenant_id, part, kind, id, version, embedder)', -2260);
  change('ALTER TABLE mem_owner.memory_sign DROP PRIMARY KEY', -2441);
  change('ALTER TABLE mem_owner.memory_sign ADD CONSTRAINT memory_sign_pk'
    || ' PRIMARY KEY (tenant_id, part, kind, id, version, embedder)', -2260);
END;
/
CREATE INDEX IF NOT EXISTS mem_owner.memory_vector_embedder
  ON mem_owner.memory_vector (tenant_id, embedder, part, user_id)
/
CREATE INDEX IF NOT EXISTS mem_owner.memory_sign_embedder
  ON mem_owner.memory_sign (tenant_id, embedder, part, user_id)
/
-- Tenants that ever had an index: row security holds for owners too, so each is asked for itself.
CREATE TABLE IF NOT EXISTS mem_owner.index_tenant (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  CONSTRAINT index_tenant_pk PRIMARY KEY (tenant_id)
)
/
CREATE OR REPLACE TRIGGER mem_owner.memory_term_tenant
AFTER INSERT ON mem_owner.memory_term
BEGIN
  INSERT INTO mem_owner.index_tenant (tenant_id)
    SELECT SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID') FROM DUAL
    WHERE NOT EXISTS (
      SELECT 1 FROM mem_owner.index_tenant t WHERE t.tenant_id = SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID'));
EXCEPTION
  WHEN DUP_VAL_ON_INDEX THEN
    NULL;
END;
/
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
BEGIN
  -- Read by the package of the change alone, for all tenants.
  guard('INDEX_TENANT', '_SEEN', 'EVERYONE', 'SELECT');
  guard('INDEX_TENANT', '_OWNED', 'OF_TENANT', 'INSERT,UPDATE,DELETE');
END;
/
GRANT SELECT ON mem_owner.index_tenant TO mem_sec
/
GRANT SELECT ON mem_owner.toolbox_change TO mem_sec
/
GRANT SELECT, UPDATE ON mem_owner.store_setting TO mem_sec
/
-- Token counts are dropped and made anew with the rest.
GRANT DELETE ON mem_owner.token_count TO mem_operator
/
-- As in 009, and an operator's context for the change of embedder too.
CREATE OR REPLACE PACKAGE mem_sec.mem_ctx AUTHID DEFINER AS
  -- An end user's context always has a tenant and a user.
  PROCEDURE enter(p_tenant_id VARCHAR2, p_user_id VARCHAR2, p_agent_id VARCHAR2);
  -- An operator's has a tenant alone; the server's login has no right to the packages that may call this.
  PROCEDURE enter_operator(p_tenant_id VARCHAR2)
    ACCESSIBLE BY (PACKAGE mem_sec.operator_ctx, PACKAGE mem_sec.retention, PACKAGE mem_sec.operator_switch);
  -- Widens an end user's context to reading the tenant, and narrows it again.
  PROCEDURE see_tenant ACCESSIBLE BY (PACKAGE mem_sec.gone_refs);
  PROCEDURE see_own ACCESSIBLE BY (PACKAGE mem_sec.gone_refs);
  PROCEDURE leave;
END mem_ctx;
/
CREATE OR REPLACE PACKAGE BODY mem_sec.mem_ctx AS
  -- The form in which times travel and the order of text are the session's; said once for each session.
  v_prepared BOOLEAN := FALSE;

  PROCEDURE prepare_session IS
  BEGIN
    IF v_prepared THEN
      RETURN;
    END IF;
    DBMS_SESSION.SET_NLS('NLS_TIMESTAMP_FORMAT', '''YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"''');
    DBMS_SESSION.SET_NLS('NLS_SORT', 'BINARY');
    DBMS_SESSION.SET_NLS('NLS_COMP', 'BINARY');
    v_prepared := TRUE;
  END prepare_session;

  PROCEDURE leave IS
  BEGIN
    DBMS_SESSION.CLEAR_ALL_CONTEXT('MEMORY_CTX');
  END leave;

  PROCEDURE enter(p_tenant_id VARCHAR2, p_user_id VARCHAR2, p_agent_id VARCHAR2) IS
  BEGIN
    leave;
    IF p_tenant_id IS NULL OR p_user_id IS NULL THEN
      RAISE_APPLICATION_ERROR(-20001, 'a context needs a tenant and a user');
    END IF;
    prepare_session;
    DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'TENANT_ID', p_tenant_id);
    DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'USER_ID', p_user_id);
    DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'AGENT_ID', p_agent_id);
    DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'KIND', 'user');
  END enter;

  PROCEDURE enter_operator(p_tenant_id VARCHAR2)
    ACCESSIBLE BY (PACKAGE mem_sec.operator_ctx, PACKAGE mem_sec.retention, PACKAGE mem_sec.operator_switch) IS
  BEGIN
    leave;
    IF p_tenant_id IS NULL THEN
      RAISE_APPLICATION_ERROR(-20001, 'an operator needs a tenant');
    END IF;
    prepare_session;
    DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'TENANT_ID', p_tenant_id);
    DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'KIND', 'operator');
  END enter_operator;

  PROCEDURE see_tenant ACCESSIBLE BY (PACKAGE mem_sec.gone_refs) IS
  BEGIN
    IF SYS_CONTEXT('MEMORY_CTX', 'KIND') = 'user' THEN
      DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'KIND', 'tenant_reader');
    END IF;
  END see_tenant;

  PROCEDURE see_own ACCESSIBLE BY (PACKAGE mem_sec.gone_refs) IS
  BEGIN
    IF SYS_CONTEXT('MEMORY_CTX', 'KIND') = 'tenant_reader' THEN
      DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'KIND', 'user');
    END IF;
  END see_own;
END mem_ctx;
/
-- What an operator's context may know of its own tenant's vectors.
CREATE OR REPLACE PACKAGE mem_owner.rebuilt_index AUTHID DEFINER AS
  -- True where a memory of the context's tenant was not embedded by this embedder, or with other dimensions.
  FUNCTION lacks(p_embedder VARCHAR2, p_dimensions NUMBER) RETURN BOOLEAN;
END rebuilt_index;
/
CREATE OR REPLACE PACKAGE BODY mem_owner.rebuilt_index AS
  FUNCTION lacks(p_embedder VARCHAR2, p_dimensions NUMBER) RETURN BOOLEAN IS
    v_tenant_id VARCHAR2(255) := SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID');
    v_lacking NUMBER;
  BEGIN
    SELECT COUNT(*) INTO v_lacking FROM (
      SELECT i.id FROM mem_owner.indexable i
      WHERE i.tenant_id = v_tenant_id AND NOT EXISTS (
        SELECT 1 FROM mem_owner.memory_vector v
        WHERE v.tenant_id = v_tenant_id AND v.part = 'text' AND v.kind = i.kind AND v.id = i.id
          AND v.version = i.version AND v.embedder = p_embedder)
      UNION ALL
      SELECT v.id FROM mem_owner.memory_vector v
      WHERE v.tenant_id = v_tenant_id AND v.embedder = p_embedder AND v.vector IS NOT NULL
        AND VECTOR_DIMENSION_COUNT(v.vector) <> p_dimensions
      FETCH FIRST 1 ROW ONLY
    ) found;
    RETURN v_lacking > 0;
  END lacks;
END rebuilt_index;
/
GRANT EXECUTE ON mem_owner.rebuilt_index TO mem_sec
/
-- Whose vectors the store holds. A write holds the lock shared, so that it is done before the embedder changes, or sees
-- that it has.
CREATE OR REPLACE PACKAGE mem_sec.embedder_switch AUTHID DEFINER AS
  PROCEDURE hold_shared;
  FUNCTION current_id RETURN VARCHAR2;
  FUNCTION current_dimensions RETURN NUMBER;
END embedder_switch;
/
-- The operators' side of it, which the server's login has no right to.
CREATE OR REPLACE PACKAGE mem_sec.operator_switch AUTHID DEFINER AS
  -- Makes another embedder the store's, if every memory of every tenant has been embedded by it, and tells whether it
  -- is: of no tenant, no row and no count.
  FUNCTION switch_to(p_embedder VARCHAR2, p_dimensions NUMBER) RETURN BOOLEAN;
END operator_switch;
/
CREATE OR REPLACE PACKAGE BODY mem_sec.embedder_switch AS
  c_lock_number CONSTANT NUMBER := 710311430;
  c_wait_seconds CONSTANT NUMBER := 600;

  PROCEDURE hold_shared IS
    e_busy EXCEPTION;
    PRAGMA EXCEPTION_INIT(e_busy, -54);
  BEGIN
    IF DBMS_LOCK.REQUEST(id => c_lock_number, lockmode => DBMS_LOCK.S_MODE, timeout => c_wait_seconds,
      release_on_commit => TRUE) NOT IN (0, 4) THEN
      RAISE e_busy;
    END IF;
  END hold_shared;

  FUNCTION current_id RETURN VARCHAR2 IS
    v_value VARCHAR2(255);
  BEGIN
    SELECT MAX(s.value) INTO v_value FROM mem_owner.store_setting s WHERE s.name = 'embedder_id';
    RETURN v_value;
  END current_id;

  FUNCTION current_dimensions RETURN NUMBER IS
    v_value VARCHAR2(255);
  BEGIN
    SELECT MAX(s.value) INTO v_value FROM mem_owner.store_setting s WHERE s.name = 'embedder_dimensions';
    RETURN TO_NUMBER(v_value);
  END current_dimensions;
END embedder_switch;
/
CREATE OR REPLACE PACKAGE BODY mem_sec.operator_switch AS
  c_lock_number CONSTANT NUMBER := 710311430;
  c_wait_seconds CONSTANT NUMBER := 600;

  FUNCTION switch_to(p_embedder VARCHAR2, p_dimensions NUMBER) RETURN BOOLEAN IS
    v_own VARCHAR2(255) := SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID');
    v_lacks BOOLEAN := FALSE;
    e_no_right EXCEPTION;
    e_busy EXCEPTION;
    PRAGMA EXCEPTION_INIT(e_no_right, -1031);
    PRAGMA EXCEPTION_INIT(e_busy, -54);
  BEGIN
    IF v_own IS NULL OR SYS_CONTEXT('MEMORY_CTX', 'KIND') <> 'operator' THEN
      RAISE e_no_right;
    END IF;
    IF DBMS_LOCK.REQUEST(id => c_lock_number, lockmode => DBMS_LOCK.X_MODE, timeout => c_wait_seconds,
      release_on_commit => TRUE) NOT IN (0, 4) THEN
      RAISE e_busy;
    END IF;
    FOR turn IN (
      SELECT t.tenant_id FROM mem_owner.index_tenant t
      UNION
      SELECT t.tenant_id FROM mem_owner.toolbox_change t
    ) LOOP
      mem_sec.mem_ctx.enter_operator(turn.tenant_id);
      v_lacks := mem_owner.rebuilt_index.lacks(p_embedder, p_dimensions);
      EXIT WHEN v_lacks;
    END LOOP;
    mem_sec.mem_ctx.enter_operator(v_own);
    IF NOT v_lacks THEN
      UPDATE mem_owner.store_setting s SET s.value = p_embedder WHERE s.name = 'embedder_id';
      UPDATE mem_owner.store_setting s SET s.value = TO_CHAR(p_dimensions) WHERE s.name = 'embedder_dimensions';
    END IF;
    RETURN NOT v_lacks;
  EXCEPTION
    WHEN OTHERS THEN
      mem_sec.mem_ctx.leave;
      RAISE;
  END switch_to;
END operator_switch;
/
GRANT EXECUTE ON mem_sec.embedder_switch TO mem_app, mem_operator
/
GRANT EXECUTE ON mem_sec.operator_switch TO mem_operator
/
-- As in 010, but with vectors of more than one embedder.
CREATE OR REPLACE PACKAGE BODY mem_owner.erasure AS
  c_user CONSTANT VARCHAR2(16) := 'user';
  c_thread CONSTANT VARCHAR2(16) := 'thread';
  c_tenant CONSTANT VARCHAR2(16) := 'tenant';

  TYPE erasure_target IS RECORD (
    tenant_id VARCHAR2(255),
    kind VARCHAR2(16),
    id VARCHAR2(128),
    user_id VARCHAR2(255),
    agent_id VARCHAR2(255),
    thread_id VARCHAR2(255));

  -- Fails with ORA-01031 for whoever is no operator.
  FUNCTION operators_tenant RETURN VARCHAR2 IS
    e_no_right EXCEPTION;
    PRAGMA EXCEPTION_INIT(e_no_right, -1031);
  BEGIN
    IF SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID') IS NULL OR SYS_CONTEXT('MEMORY_CTX', 'KIND') <> 'operator' THEN
      RAISE e_no_right;
    END IF;
    RETURN SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID');
  END operators_tenant;

  -- What is counted must not change meanwhile; who only counts need not be alone.
  PROCEDURE lock_tenant(p_dry_run BOOLEAN) IS
  BEGIN
    IF p_dry_run THEN
      mem_sec.tenant_lock.hold_shared;
    ELSE
      mem_sec.tenant_lock.hold_alone;
    END IF;
  END lock_tenant;

  -- All rows of a user, thread or tenant.
  PROCEDURE name_scope(p_target erasure_target) IS
  BEGIN
    INSERT INTO mem_owner.erasure_ref (tenant_id, fate, type, id, step)
      SELECT v.tenant_id, 'goes', v.type, v.id, 0
      FROM mem_owner.known_version v
      WHERE v.tenant_id = p_target.tenant_id
        AND (p_target.kind = c_tenant OR v.user_id = p_target.user_id AND (p_target.kind = c_user
          OR v.thread_id = p_target.thread_id AND (p_target.agent_id IS NULL OR v.agent_id = p_target.agent_id)))
        AND NOT EXISTS (
          SELECT 1 FROM mem_owner.conversation_memory c
          WHERE v.type = 'conversation' AND c.tenant_id = p_target.tenant_id AND c.event_id = v.id
            AND c.event_type = 'tombstone');
    INSERT INTO mem_owner.erasure_ref (tenant_id, fate, type, id, step)
      SELECT r.tenant_id, 'goes', 'run', r.run_id, 0
      FROM mem_owner.context_run r
      WHERE r.tenant_id = p_target.tenant_id
        AND (p_target.kind = c_tenant OR r.user_id = p_target.user_id AND (p_target.kind = c_user
          OR r.thread_id = p_target.thread_id AND (p_target.agent_id IS NULL OR r.agent_id = p_target.agent_id)));
  END name_scope;

  -- Rows that the target names by an id. All versions of a document are one document.
  PROCEDURE name_row(p_target erasure_target) IS
  BEGIN
    IF p_target.kind = 'event' THEN
      INSERT INTO mem_owner.erasure_ref (tenant_id, fate, type, id, step)
        SELECT c.tenant_id, 'goes', 'conversation', c.event_id, 0
        FROM mem_owner.conversation_memory c
        WHERE c.tenant_id = p_target.tenant_id AND c.event_id = p_target.id AND c.event_type <> 'tombstone';
    ELSE
      INSERT INTO mem_owner.erasure_ref (tenant_id, fate, type, id, step)
        SELECT d.tenant_id, 'goes', 'document', d.id, 0
        FROM mem_owner.knowledge_base_document n
        JOIN mem_owner.knowledge_base_document d ON d.tenant_id = n.tenant_id AND d.collection = n.collection
          AND d.source_uri = n.source_uri AND (d.user_id = n.user_id OR d.user_id IS NULL AND n.user_id IS NULL)
          AND (d.agent_id = n.agent_id OR d.agent_id IS NULL AND n.agent_id IS NULL)
        WHERE n.tenant_id = p_target.tenant_id AND n.id = p_target.id;
    END IF;
  END name_row;

  -- Days by class, as an array of {class, days}; days NULL: its events stay.
  FUNCTION days_by_class(p_policy JSON_OBJECT_T) RETURN JSON IS
    v_classes JSON_OBJECT_T := p_policy.get_object('classes');
    v_names JSON_KEY_LIST;
    v_row JSON_OBJECT_T;
    v_rows JSON_ARRAY_T := JSON_ARRAY_T();
  BEGIN
    IF v_classes IS NOT NULL AND v_classes.get_size > 0 THEN
      v_names := v_classes.get_keys;
      FOR place IN 1 .. v_names.COUNT LOOP
        v_row := JSON_OBJECT_T();
        v_row.put('class', v_names(place));
        IF v_classes.get(v_names(place)).is_number THEN
          v_row.put('days', v_classes.get_number(v_names(place)));
        END IF;
        v_rows.append(v_row);
      END LOOP;
    END IF;
    RETURN v_rows.to_json;
  END days_by_class;

  -- The oldest events that a policy keeps no longer. An event without a class has its type as class.
  PROCEDURE name_expired(p_tenant_id VARCHAR2, p_policy JSON_OBJECT_T, p_most NUMBER) IS
    v_classes JSON := days_by_class(p_policy);
    v_default NUMBER;
    v_now TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
    v_most NUMBER := NVL(p_most, 1000000000);
  BEGIN
    IF p_policy.has('default') AND p_policy.get('default').is_number THEN
      v_default := p_policy.get_number('default');
    END IF;
    INSERT INTO mem_owner.erasure_ref (tenant_id, fate, type, id, step)
      SELECT e.tenant_id, 'goes', 'conversation', e.event_id, 0
      FROM (
        SELECT c.tenant_id, c.event_id
        FROM mem_owner.conversation_memory c
        LEFT JOIN JSON_TABLE(v_classes, '$[*]' COLUMNS (class VARCHAR2(255) PATH '$.class',
          days NUMBER PATH '$.days')) k ON k.class = NVL(c.retention_class, c.event_type)
        WHERE c.tenant_id = p_tenant_id AND c.event_type <> 'tombstone'
          AND c.created_at < v_now - NUMTODSINTERVAL(CASE WHEN k.class IS NULL THEN v_default ELSE k.days END, 'DAY')
        ORDER BY c.event_order
        FETCH FIRST v_most ROWS ONLY
      ) e;
  END name_expired;

  -- What came directly of the rows of one step. A window is one thing: manifest, request, retrieval, result and what
  -- was said of it. A request holds all that its run exchanged before, so whatever follows an erased exchange goes too;
  -- turns of the conversation go only by their provenance. Gives how many were new.
  FUNCTION follow(p_tenant_id VARCHAR2, p_step NUMBER) RETURN NUMBER IS
  BEGIN
    INSERT INTO mem_owner.erasure_ref (tenant_id, fate, type, id, step)
      SELECT p_tenant_id, 'goes', f.type, f.id, p_step + 1
      FROM (
        WITH gone AS (
          SELECT g.type, g.id FROM mem_owner.erasure_ref g
          WHERE g.tenant_id = p_tenant_id AND g.fate = 'goes' AND g.step = p_step
        ), event AS (
          SELECT c.event_id, c.event_type, c.event_order, c.run_id, c.manifest_id,
            JSON_VALUE(c.payload, '$.call_id' RETURNING VARCHAR2(255)) AS call_id
          FROM gone g
          JOIN mem_owner.conversation_memory c ON c.tenant_id = p_tenant_id AND c.event_id = g.id
          WHERE g.type = 'conversation'
        )
        SELECT s.derived_type AS type, s.derived_id AS id FROM gone g
        JOIN mem_owner.context_source_ref s
          ON s.tenant_id = p_tenant_id AND s.source_type = g.type AND s.source_id = g.id
        UNION
        SELECT 'compression', c.id FROM gone g
        JOIN mem_owner.context_compression c
          ON c.tenant_id = p_tenant_id AND c.source_type = g.type AND c.source_id = g.id
        UNION
        SELECT 'chunk', c.id FROM gone g
        JOIN mem_owner.knowledge_base_chunk c ON c.tenant_id = p_tenant_id AND c.document_id = g.id
        WHERE g.type = 'document'
        UNION
        SELECT 'entity', e.id FROM gone g
        JOIN mem_owner.entity_memory e ON e.tenant_id = p_tenant_id
          AND JSON_VALUE(e.content_json, '$.source_document_id' RETURNING VARCHAR2(128)) = g.id
        WHERE g.type = 'document'
        UNION
        SELECT 'guideline', m.id FROM event e
        JOIN mem_owner.guideline_memory m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'persona', m.id FROM event e
        JOIN mem_owner.persona_memory m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'toolbox', m.id FROM event e
        JOIN mem_owner.toolbox_memory m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'entity', m.id FROM event e
        JOIN mem_owner.entity_memory m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'workflow', m.id FROM event e
        JOIN mem_owner.workflow_memory m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'summary', m.id FROM event e
        JOIN mem_owner.summarization_memory m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'conversation', m.event_id FROM event e
        JOIN mem_owner.conversation_memory m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'document', m.id FROM event e
        JOIN mem_owner.knowledge_base_document m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'chunk', m.id FROM event e
        JOIN mem_owner.knowledge_base_chunk m ON m.tenant_id = p_tenant_id AND m.source_event_id = e.event_id
        UNION
        SELECT 'conversation', m.event_id FROM event e
        JOIN mem_owner.conversation_memory m ON m.tenant_id = p_tenant_id AND m.manifest_id = e.manifest_id
        WHERE e.event_type IN ('context_manifest', 'request', 'tool_result', 'retrieval')
          AND m.event_type <> 'tombstone'
        UNION
        SELECT 'conversation', m.event_id FROM event e
        JOIN mem_owner.conversation_memory m ON m.tenant_id = p_tenant_id AND m.run_id = e.run_id
          AND (m.event_order > e.event_order OR e.event_type = 'tool_result' AND m.event_type = 'tool_call'
            AND JSON_VALUE(m.payload, '$.call_id' RETURNING VARCHAR2(255)) = e.call_id)
        WHERE e.event_type IN ('context_manifest', 'request', 'tool_call', 'tool_result')
          AND m.event_type NOT IN ('user_msg', 'model_msg', 'tombstone')
        UNION
        SELECT 'run', e.run_id FROM event e
        WHERE e.event_type IN ('context_manifest', 'request', 'tool_call', 'tool_result') AND e.run_id IS NOT NULL
      ) f
      WHERE NOT EXISTS (
        SELECT 1 FROM mem_owner.erasure_ref k
        WHERE k.tenant_id = p_tenant_id AND k.fate = 'goes' AND k.type = f.type AND k.id = f.id);
    RETURN SQL%ROWCOUNT;
  END follow;

  -- What stays in the place of erased manifests, and of turns whose thread goes on: the id, what it was, and its place.
  -- It is an event of its own, so that the erased id leads nowhere. Gives how many.
  FUNCTION leave_tombstones(p_target erasure_target) RETURN NUMBER IS
  BEGIN
    INSERT INTO mem_owner.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, event_type,
        role, payload, created_at, written_by, trust)
      SELECT t.tenant_id, 'tombstone_' || LOWER(RAWTOHEX(SYS_GUID())), CASE WHEN t.whole = 0 THEN t.user_id END,
        CASE WHEN t.whole = 0 THEN t.agent_id END, CASE WHEN t.whole = 0 THEN t.thread_id END,
        CASE WHEN t.whole = 0 THEN t.run_id END, 'tombstone', 'system',
        JSON_OBJECT('erased_type' VALUE t.event_type, 'event_id' VALUE t.event_id, 'manifest_id' VALUE t.manifest_id,
          'turn_index' VALUE t.turn_index ABSENT ON NULL RETURNING JSON),
        SYS_EXTRACT_UTC(SYSTIMESTAMP), 'erasure', 'derived'
      FROM (
        SELECT c.tenant_id, c.event_id, c.user_id, c.agent_id, c.thread_id, c.run_id, c.event_type, c.manifest_id,
          c.turn_index, CASE WHEN p_target.kind = c_tenant
            OR p_target.kind = c_user AND c.user_id = p_target.user_id THEN 1 ELSE 0 END AS whole
        FROM mem_owner.erasure_ref n
        JOIN mem_owner.conversation_memory c ON c.tenant_id = n.tenant_id AND c.event_id = n.id
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'conversation'
          AND (c.event_type = 'context_manifest'
            OR c.event_type IN ('user_msg', 'model_msg') AND p_target.kind IN ('event', 'document')
            OR c.event_type IN ('user_msg', 'model_msg') AND p_target.kind IN (c_user, c_thread)
              AND (c.user_id <> p_target.user_id OR p_target.kind = c_thread
                AND (c.thread_id <> p_target.thread_id OR p_target.agent_id IS NOT NULL
                  AND NVL(c.agent_id, CHR(1)) <> p_target.agent_id)))
      ) t;
    RETURN SQL%ROWCOUNT;
  END leave_tombstones;

  -- The index of a turn or passage holds words of the two before and after it: those that stay are indexed as if they
  -- stood alone. Gives how many.
  FUNCTION forget_neighbours(p_tenant_id VARCHAR2) RETURN NUMBER IS
    v_neighbours NUMBER;
  BEGIN
    INSERT INTO mem_owner.erasure_ref (tenant_id, fate, type, id, step)
      SELECT p_tenant_id, 'stays', n.type, n.id, 0
      FROM (
        SELECT p.type, p.id, CASE WHEN g.id IS NULL THEN 0 ELSE 1 END AS is_gone,
          MAX(CASE WHEN g.id IS NULL THEN 0 ELSE 1 END) OVER (PARTITION BY p.type, p.series ORDER BY p.place
            ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS is_near
        FROM (
          SELECT 'conversation' AS type, c.event_id AS id,
            c.user_id || CHR(1) || c.agent_id || CHR(1) || c.thread_id AS series, c.turn_index AS place
          FROM mem_owner.conversation_memory c
          WHERE c.tenant_id = p_tenant_id AND c.turn_index IS NOT NULL
            AND (c.user_id, NVL(c.agent_id, CHR(1)), c.thread_id) IN (
              SELECT t.user_id, NVL(t.agent_id, CHR(1)), t.thread_id FROM mem_owner.erasure_ref r
              JOIN mem_owner.conversation_memory t ON t.tenant_id = r.tenant_id AND t.event_id = r.id
              WHERE r.tenant_id = p_tenant_id AND r.fate = 'goes' AND r.type = 'conversation'
                AND t.turn_index IS NOT NULL)
          UNION ALL
          SELECT 'chunk', c.id, c.document_id, c.chunk_index
          FROM mem_owner.knowledge_base_chunk c
          WHERE c.tenant_id = p_tenant_id AND c.document_id IN (
            SELECT t.document_id FROM mem_owner.erasure_ref r
            JOIN mem_owner.knowledge_base_chunk t ON t.tenant_id = r.tenant_id AND t.id = r.id
            WHERE r.tenant_id = p_tenant_id AND r.fate = 'goes' AND r.type = 'chunk')
        ) p
        LEFT JOIN mem_owner.erasure_ref g
          ON g.tenant_id = p_tenant_id AND g.fate = 'goes' AND g.type = p.type AND g.id = p.id
      ) n
      WHERE n.is_near = 1 AND n.is_gone = 0 AND EXISTS (
        SELECT 1 FROM mem_owner.memory_term t
        WHERE t.tenant_id = p_tenant_id AND t.kind = n.type AND t.id = n.id);
    v_neighbours := SQL%ROWCOUNT;
    UPDATE mem_owner.memory_term t SET t.context_length = 0
      WHERE t.tenant_id = p_tenant_id AND (t.kind, t.id) IN (
        SELECT r.type, r.id FROM mem_owner.erasure_ref r WHERE r.tenant_id = p_tenant_id AND r.fate = 'stays');
    DELETE FROM mem_owner.memory_posting t
      WHERE t.tenant_id = p_tenant_id AND t.title_count + t.date_count + t.body_count = 0 AND (t.kind, t.id) IN (
        SELECT r.type, r.id FROM mem_owner.erasure_ref r WHERE r.tenant_id = p_tenant_id AND r.fate = 'stays');
    UPDATE mem_owner.memory_posting t SET t.context_count = 0
      WHERE t.tenant_id = p_tenant_id AND (t.kind, t.id) IN (
        SELECT r.type, r.id FROM mem_owner.erasure_ref r WHERE r.tenant_id = p_tenant_id AND r.fate = 'stays');
    -- Without neighbours the text of the context is the memory's own, for each embedder; one in whose own words nothing is known has a
    -- vector by its neighbours alone.
    DELETE FROM mem_owner.memory_vector t
      WHERE t.tenant_id = p_tenant_id AND t.part = 'context' AND (t.kind, t.id) IN (
          SELECT r.type, r.id FROM mem_owner.erasure_ref r WHERE r.tenant_id = p_tenant_id AND r.fate = 'stays')
        AND NOT EXISTS (
          SELECT 1 FROM mem_owner.memory_vector own WHERE own.tenant_id = p_tenant_id AND own.part = 'text'
            AND own.kind = t.kind AND own.id = t.id AND own.version = t.version AND own.embedder = t.embedder
            AND own.vector IS NOT NULL);
    UPDATE mem_owner.memory_vector t SET t.vector = (
        SELECT own.vector FROM mem_owner.memory_vector own WHERE own.tenant_id = p_tenant_id AND own.part = 'text'
          AND own.kind = t.kind AND own.id = t.id AND own.version = t.version AND own.embedder = t.embedder)
      WHERE t.tenant_id = p_tenant_id AND t.part = 'context' AND (t.kind, t.id) IN (
        SELECT r.type, r.id FROM mem_owner.erasure_ref r WHERE r.tenant_id = p_tenant_id AND r.fate = 'stays');
    DELETE FROM mem_owner.memory_sign t
      WHERE t.tenant_id = p_tenant_id AND t.part = 'context' AND (t.kind, t.id) IN (
          SELECT r.type, r.id FROM mem_owner.erasure_ref r WHERE r.tenant_id = p_tenant_id AND r.fate = 'stays')
        AND NOT EXISTS (
          SELECT 1 FROM mem_owner.memory_sign own WHERE own.tenant_id = p_tenant_id AND own.part = 'text'
            AND own.kind = t.kind AND own.id = t.id AND own.version = t.version AND own.embedder = t.embedder);
    UPDATE mem_owner.memory_sign t SET t.bits = (
        SELECT own.bits FROM mem_owner.memory_sign own WHERE own.tenant_id = p_tenant_id AND own.part = 'text'
          AND own.kind = t.kind AND own.id = t.id AND own.version = t.version AND own.embedder = t.embedder)
      WHERE t.tenant_id = p_tenant_id AND t.part = 'context' AND (t.kind, t.id) IN (
        SELECT r.type, r.id FROM mem_owner.erasure_ref r WHERE r.tenant_id = p_tenant_id AND r.fate = 'stays');
    RETURN v_neighbours;
  END forget_neighbours;

  -- Deletes what goes, in an order in which no row is left without what it names. A row also goes with its user or
  -- thread where it was written while serving them of shared memory. Gives the rows of each table.
  FUNCTION delete_rows(p_target erasure_target) RETURN JSON_OBJECT_T IS
    v_counts JSON_OBJECT_T := JSON_OBJECT_T();
  BEGIN
    DELETE FROM mem_owner.memory_term e
      WHERE e.tenant_id = p_target.tenant_id AND (e.kind, e.id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes');
    v_counts.put('memory_term', SQL%ROWCOUNT);
    DELETE FROM mem_owner.memory_posting e
      WHERE e.tenant_id = p_target.tenant_id AND (e.kind, e.id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes');
    v_counts.put('memory_posting', SQL%ROWCOUNT);
    DELETE FROM mem_owner.memory_vector e
      WHERE e.tenant_id = p_target.tenant_id AND e.part IN ('text', 'context') AND (e.kind, e.id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes');
    v_counts.put('memory_vector', SQL%ROWCOUNT);
    DELETE FROM mem_owner.memory_sign e
      WHERE e.tenant_id = p_target.tenant_id AND e.part IN ('text', 'context') AND (e.kind, e.id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes');
    v_counts.put('memory_sign', SQL%ROWCOUNT);
    DELETE FROM mem_owner.memory_name e
      WHERE e.tenant_id = p_target.tenant_id AND (e.kind, e.id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes');
    v_counts.put('memory_name', SQL%ROWCOUNT);
    DELETE FROM mem_owner.token_count e
      WHERE e.tenant_id = p_target.tenant_id AND ((e.kind, e.id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes')
        OR (p_target.kind = c_tenant OR e.user_id = p_target.user_id AND (p_target.kind = c_user
          OR p_target.kind = c_thread AND e.thread_id = p_target.thread_id
            AND (p_target.agent_id IS NULL OR e.agent_id = p_target.agent_id))));
    v_counts.put('token_count', SQL%ROWCOUNT);
    DELETE FROM mem_owner.issued_memory e
      WHERE e.tenant_id = p_target.tenant_id AND ((e.ref_type, e.ref_id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes')
        OR e.run_id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'run'));
    v_counts.put('issued_memory', SQL%ROWCOUNT);
    DELETE FROM mem_owner.context_run e
      WHERE e.tenant_id = p_target.tenant_id AND e.run_id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'run');
    v_counts.put('context_run', SQL%ROWCOUNT);
    DELETE FROM mem_owner.memory_link e
      WHERE e.tenant_id = p_target.tenant_id AND ((e.source_type, e.source_id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes')
        OR (e.target_type, e.target_id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes')
        OR (p_target.kind = c_tenant OR e.user_id = p_target.user_id AND (p_target.kind = c_user
          OR p_target.kind = c_thread AND e.thread_id = p_target.thread_id
            AND (p_target.agent_id IS NULL OR e.agent_id = p_target.agent_id))));
    v_counts.put('memory_link', SQL%ROWCOUNT);
    DELETE FROM mem_owner.context_source_ref e
      WHERE e.tenant_id = p_target.tenant_id AND ((e.derived_type, e.derived_id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes')
        OR (e.source_type, e.source_id) IN (
        SELECT n.type, n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes')
        OR (p_target.kind = c_tenant OR e.user_id = p_target.user_id AND (p_target.kind = c_user
          OR p_target.kind = c_thread AND e.thread_id = p_target.thread_id
            AND (p_target.agent_id IS NULL OR e.agent_id = p_target.agent_id))));
    v_counts.put('context_source_ref', SQL%ROWCOUNT);
    DELETE FROM mem_owner.context_compression e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'compression');
    v_counts.put('context_compression', SQL%ROWCOUNT);
    DELETE FROM mem_owner.knowledge_base_chunk e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'chunk');
    v_counts.put('knowledge_base_chunk', SQL%ROWCOUNT);
    DELETE FROM mem_owner.knowledge_base_document e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'document');
    v_counts.put('knowledge_base_document', SQL%ROWCOUNT);
    DELETE FROM mem_owner.summarization_memory e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'summary');
    v_counts.put('summarization_memory', SQL%ROWCOUNT);
    DELETE FROM mem_owner.workflow_memory e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'workflow');
    v_counts.put('workflow_memory', SQL%ROWCOUNT);
    DELETE FROM mem_owner.entity_memory e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'entity');
    v_counts.put('entity_memory', SQL%ROWCOUNT);
    DELETE FROM mem_owner.toolbox_memory e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'toolbox');
    v_counts.put('toolbox_memory', SQL%ROWCOUNT);
    DELETE FROM mem_owner.persona_memory e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'persona');
    v_counts.put('persona_memory', SQL%ROWCOUNT);
    DELETE FROM mem_owner.guideline_memory e
      WHERE e.tenant_id = p_target.tenant_id AND e.id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'guideline');
    v_counts.put('guideline_memory', SQL%ROWCOUNT);
    DELETE FROM mem_owner.conversation_memory e
      WHERE e.tenant_id = p_target.tenant_id AND e.event_type <> 'tombstone' AND e.event_id IN (
        SELECT n.id FROM mem_owner.erasure_ref n
        WHERE n.tenant_id = p_target.tenant_id AND n.fate = 'goes' AND n.type = 'conversation');
    v_counts.put('conversation_memory', SQL%ROWCOUNT);
    DELETE FROM mem_owner.thread e
      WHERE e.tenant_id = p_target.tenant_id
        AND (p_target.kind = c_tenant OR e.user_id = p_target.user_id AND (p_target.kind = c_user
          OR p_target.kind = c_thread AND e.thread_id = p_target.thread_id
            AND (p_target.agent_id IS NULL OR e.agent_id = p_target.agent_id)));
    v_counts.put('thread', SQL%ROWCOUNT);
    RETURN v_counts;
  END delete_rows;

  -- The closure of what is named already, and its deletion; who only counts undoes it. Gives the report.
  FUNCTION erase_named(p_target erasure_target) RETURN JSON_OBJECT_T IS
    v_step NUMBER := 0;
    v_report JSON_OBJECT_T := JSON_OBJECT_T();
  BEGIN
    WHILE follow(p_target.tenant_id, v_step) > 0 LOOP
      v_step := v_step + 1;
    END LOOP;
    v_report.put('tombstones', leave_tombstones(p_target));
    v_report.put('neighbours', forget_neighbours(p_target.tenant_id));
    v_report.put('tables', delete_rows(p_target));
    RETURN v_report;
  END erase_named;

  -- Earlier tombstones of a user that is erased as a whole: their owner is forgotten too. Gives how many.
  FUNCTION forget_owner(p_target erasure_target) RETURN NUMBER IS
  BEGIN
    IF p_target.kind NOT IN (c_user, c_tenant) THEN
      RETURN 0;
    END IF;
    UPDATE mem_owner.conversation_memory c
      SET c.user_id = NULL, c.agent_id = NULL, c.thread_id = NULL, c.run_id = NULL
      WHERE c.tenant_id = p_target.tenant_id AND c.event_type = 'tombstone' AND c.user_id IS NOT NULL
        AND (p_target.kind = c_tenant OR c.user_id = p_target.user_id);
    RETURN SQL%ROWCOUNT;
  END forget_owner;

  PROCEDURE record_deletion(p_target erasure_target, p_reason VARCHAR2) IS
  BEGIN
    INSERT INTO mem_owner.deletion_events (tenant_id, id, user_id, agent_id, thread_id, deletion_scope, reason,
        deleted_at)
      VALUES (p_target.tenant_id, 'deletion_' || LOWER(RAWTOHEX(SYS_GUID())), p_target.user_id, p_target.agent_id,
        p_target.thread_id, p_target.kind, p_reason, SYS_EXTRACT_UTC(SYSTIMESTAMP));
  END record_deletion;

  FUNCTION rows_in(p_counts JSON_OBJECT_T) RETURN NUMBER IS
    v_names JSON_KEY_LIST := p_counts.get_keys;
    v_rows NUMBER := 0;
  BEGIN
    FOR place IN 1 .. v_names.COUNT LOOP
      v_rows := v_rows + p_counts.get_number(v_names(place));
    END LOOP;
    RETURN v_rows;
  END rows_in;

  FUNCTION erase(p_target JSON, p_dry_run BOOLEAN) RETURN JSON IS
    v_target erasure_target;
    v_owners NUMBER;
    v_report JSON_OBJECT_T;
  BEGIN
    v_target.tenant_id := operators_tenant;
    SELECT t.kind, t.id, t.user_id, t.agent_id, t.thread_id
      INTO v_target.kind, v_target.id, v_target.user_id, v_target.agent_id, v_target.thread_id
      FROM JSON_TABLE(p_target, '$' COLUMNS (kind VARCHAR2(16) PATH '$.kind', id VARCHAR2(128) PATH '$.id',
        user_id VARCHAR2(255) PATH '$.user_id', agent_id VARCHAR2(255) PATH '$.agent_id',
        thread_id VARCHAR2(255) PATH '$.thread_id')) t;
    lock_tenant(p_dry_run);
    SAVEPOINT before_erasure;
    DELETE FROM mem_owner.erasure_ref r WHERE r.tenant_id = v_target.tenant_id;
    IF v_target.kind IN (c_user, c_thread, c_tenant) THEN
      name_scope(v_target);
    ELSIF v_target.kind IN ('event', 'document') THEN
      name_row(v_target);
    ELSE
      RAISE_APPLICATION_ERROR(-20004, 'unknown kind of erasure');
    END IF;
    v_owners := forget_owner(v_target);
    v_report := erase_named(v_target);
    v_report.put('owners_forgotten', v_owners);
    -- To count is to erase and take it back: so both count the same rows.
    IF p_dry_run THEN
      ROLLBACK TO before_erasure;
    ELSIF v_owners > 0 OR rows_in(v_report.get_object('tables')) > 0 THEN
      record_deletion(v_target, 'erasure');
    END IF;
    RETURN v_report.to_json;
  END erase;

  -- The policy that counts now; NULL: everything is kept.
  FUNCTION retention_policy(p_tenant_id VARCHAR2) RETURN JSON_OBJECT_T IS
    v_policy CLOB;
    v_now TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
  BEGIN
    SELECT JSON_SERIALIZE(g.guideline_value RETURNING CLOB) INTO v_policy
      FROM mem_owner.guideline_memory g
      WHERE g.tenant_id = p_tenant_id AND g.guideline_key = 'context_retention' AND g.user_id IS NULL
        AND g.agent_id IS NULL AND g.thread_id IS NULL AND g.deleted_at IS NULL AND g.quarantined_at IS NULL
        AND g.valid_from <= v_now AND (g.valid_until IS NULL OR g.valid_until > v_now)
      ORDER BY g.version DESC, g.id
      FETCH FIRST 1 ROW ONLY;
    RETURN JSON_OBJECT_T.parse(v_policy);
  EXCEPTION
    WHEN NO_DATA_FOUND THEN
      RETURN NULL;
  END retention_policy;

  -- Without a mark that is old enough nothing can be said to be old: the first horizon comes that many days after the
  -- first run.
  PROCEDURE move_horizon(p_tenant_id VARCHAR2, p_policy JSON_OBJECT_T) IS
    v_days NUMBER;
    v_now TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
    v_scn NUMBER := mem_sec.current_scn;
    v_horizon NUMBER;
  BEGIN
    INSERT INTO mem_owner.history_mark (tenant_id, scn, marked_at) VALUES (p_tenant_id, v_scn, v_now);
    IF NOT p_policy.has('history_days') OR NOT p_policy.get('history_days').is_number THEN
      RETURN;
    END IF;
    v_days := p_policy.get_number('history_days');
    SELECT MAX(m.scn) INTO v_horizon FROM mem_owner.history_mark m
      WHERE m.tenant_id = p_tenant_id AND m.marked_at <= v_now - NUMTODSINTERVAL(v_days, 'DAY');
    IF v_horizon IS NULL THEN
      RETURN;
    END IF;
    UPDATE mem_owner.history_horizon h SET h.horizon = GREATEST(h.horizon, v_horizon), h.pruned_at = v_now
      WHERE h.tenant_id = p_tenant_id;
    IF SQL%ROWCOUNT = 0 THEN
      INSERT INTO mem_owner.history_horizon (tenant_id, horizon, pruned_at) VALUES (p_tenant_id, v_horizon, v_now);
    END IF;
    DELETE FROM mem_owner.history_mark m WHERE m.tenant_id = p_tenant_id AND m.scn < v_horizon;
  END move_horizon;

  PROCEDURE record_turn(p_tenant_id VARCHAR2) IS
  BEGIN
    UPDATE mem_owner.retention_turn t SET t.retained_at = SYS_EXTRACT_UTC(SYSTIMESTAMP)
      WHERE t.tenant_id = p_tenant_id;
  END record_turn;

  FUNCTION retain(p_most NUMBER, p_dry_run BOOLEAN) RETURN JSON IS
    v_target erasure_target;
    v_policy JSON_OBJECT_T;
    v_report JSON_OBJECT_T;
    v_events NUMBER;
    v_more BOOLEAN := FALSE;
  BEGIN
    v_target.tenant_id := operators_tenant;
    v_target.kind := 'expired';
    lock_tenant(p_dry_run);
    v_policy := retention_policy(v_target.tenant_id);
    IF v_policy IS NULL THEN
      IF NOT p_dry_run THEN
        record_turn(v_target.tenant_id);
      END IF;
      RETURN NULL;
    END IF;
    SAVEPOINT before_retention;
    DELETE FROM mem_owner.erasure_ref r WHERE r.tenant_id = v_target.tenant_id;
    name_expired(v_target.tenant_id, v_policy, CASE WHEN NOT p_dry_run THEN p_most END);
    v_report := erase_named(v_target);
    v_events := v_report.get_object('tables').get_number('conversation_memory');
    IF p_dry_run THEN
      ROLLBACK TO before_retention;
    ELSE
      v_more := v_events >= p_most;
      IF v_events > 0 THEN
        record_deletion(v_target, 'retention');
      END IF;
      IF NOT v_more THEN
        move_horizon(v_target.tenant_id, v_policy);
        record_turn(v_target.tenant_id);
      END IF;
    END IF;
    -- The database ends its history by itself.
    v_report.put('pruned', JSON_OBJECT_T());
    v_report.put('more', v_more);
    RETURN v_report.to_json;
  END retain;
END erasure;
/
