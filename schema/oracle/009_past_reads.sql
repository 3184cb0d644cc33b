-- Reads of the past need nothing here but their grants: they are made AS OF an SCN. What they need beside is to know
-- which rows are gone for everybody, and indexes for what is looked up from its other end.

-- As in 004, and the tenant in view for one package alone: what an end user may not see is there, or it is not. Nothing
-- can be written meanwhile, and a context in which it stopped half-way is cleared by the next who enters.
CREATE OR REPLACE PACKAGE mem_sec.mem_ctx AUTHID DEFINER AS
  -- An end user's context always has a tenant and a user.
  PROCEDURE enter(p_tenant_id VARCHAR2, p_user_id VARCHAR2, p_agent_id VARCHAR2);
  -- An operator's has a tenant alone; the server's login has no right to the packages that may call this.
  PROCEDURE enter_operator(p_tenant_id VARCHAR2)
    ACCESSIBLE BY (PACKAGE mem_sec.operator_ctx, PACKAGE mem_sec.retention);
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
    ACCESSIBLE BY (PACKAGE mem_sec.operator_ctx, PACKAGE mem_sec.retention) IS
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
CREATE OR REPLACE PACKAGE mem_sec.mem_policy AUTHID DEFINER AS
  -- Shared rows and one's own; an operator's whole tenant.
  FUNCTION visible(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2;
  -- One's own rows alone; an operator's whole tenant.
  FUNCTION private_rows(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2;
  -- As private_rows, for writes.
  FUNCTION writable(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2;
  -- Rows of the tenant, whoever writes them.
  FUNCTION of_tenant(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2;
  -- Tables without a scope: who may do what is a matter of grants.
  FUNCTION everyone(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2;
END mem_policy;
/
CREATE OR REPLACE PACKAGE BODY mem_sec.mem_policy AS
  c_tenant CONSTANT VARCHAR2(100) := 'tenant_id = SYS_CONTEXT(''MEMORY_CTX'', ''TENANT_ID'')';
  c_own CONSTANT VARCHAR2(100) := 'user_id = SYS_CONTEXT(''MEMORY_CTX'', ''USER_ID'')';
  c_nothing CONSTANT VARCHAR2(100) := '1 = 0';

  FUNCTION condition(p_user VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    CASE SYS_CONTEXT('MEMORY_CTX', 'KIND')
      WHEN 'operator' THEN
        RETURN c_tenant;
      WHEN 'user' THEN
        RETURN c_tenant || ' AND ' || p_user;
      ELSE
        RETURN c_nothing;
    END CASE;
  END condition;

  FUNCTION read_condition(p_user VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN CASE WHEN SYS_CONTEXT('MEMORY_CTX', 'KIND') = 'tenant_reader' THEN c_tenant ELSE condition(p_user) END;
  END read_condition;

  FUNCTION visible(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN read_condition('(user_id IS NULL OR ' || c_own || ')');
  END visible;

  FUNCTION private_rows(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN read_condition(c_own);
  END private_rows;

  FUNCTION writable(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN condition(c_own);
  END writable;

  FUNCTION of_tenant(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_tenant;
  END of_tenant;

  FUNCTION everyone(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN '1 = 1';
  END everyone;
END mem_policy;
/
-- As in 003, and when a version was deleted; a chunk goes with its document.
CREATE OR REPLACE VIEW mem_owner.known_version (tenant_id, type, id, version, user_id, agent_id, thread_id,
  deleted_at) AS
SELECT tenant_id, 'guideline', id, version, user_id, agent_id, thread_id, deleted_at FROM mem_owner.guideline_memory
UNION ALL
SELECT tenant_id, 'persona', id, 1, user_id, agent_id, thread_id, deleted_at FROM mem_owner.persona_memory
UNION ALL
SELECT tenant_id, 'toolbox', id, version, user_id, agent_id, CAST(NULL AS VARCHAR2(255)), deleted_at
FROM mem_owner.toolbox_memory
UNION ALL
SELECT tenant_id, 'entity', id, version, user_id, agent_id, thread_id, deleted_at FROM mem_owner.entity_memory
UNION ALL
SELECT tenant_id, 'workflow', id, version, user_id, agent_id, CAST(NULL AS VARCHAR2(255)), deleted_at
FROM mem_owner.workflow_memory
UNION ALL
SELECT tenant_id, 'summary', id, 1, user_id, agent_id, thread_id, deleted_at FROM mem_owner.summarization_memory
UNION ALL
SELECT tenant_id, 'conversation', event_id, 1, user_id, agent_id, thread_id, deleted_at
FROM mem_owner.conversation_memory
UNION ALL
SELECT tenant_id, 'document', id, version, user_id, agent_id, CAST(NULL AS VARCHAR2(255)), deleted_at
FROM mem_owner.knowledge_base_document
UNION ALL
SELECT c.tenant_id, 'chunk', c.id, 1, c.user_id, c.agent_id, CAST(NULL AS VARCHAR2(255)),
  COALESCE(c.deleted_at, d.deleted_at)
FROM mem_owner.knowledge_base_chunk c
JOIN mem_owner.knowledge_base_document d ON d.tenant_id = c.tenant_id AND d.id = c.document_id
UNION ALL
SELECT tenant_id, 'compression', id, 1, user_id, agent_id, thread_id, CAST(NULL AS TIMESTAMP(6))
FROM mem_owner.context_compression
/
GRANT SELECT ON mem_owner.known_version TO mem_sec
/
GRANT SELECT ON mem_owner.conversation_memory TO mem_sec
/
-- The refs of a manifest that no living row of the tenant has any more, whoever could see it: an end user cannot tell a
-- row that is gone from one that is now somebody else's. It speaks of refs that stand in a manifest of the caller's own
-- (an operator's: of the tenant), and of nothing else.
CREATE OR REPLACE PACKAGE mem_sec.gone_refs AUTHID DEFINER AS
  -- An array of {type, id, version}; NULL where there is none.
  FUNCTION of_manifest(p_manifest_id VARCHAR2) RETURN JSON;
END gone_refs;
/
CREATE OR REPLACE PACKAGE BODY mem_sec.gone_refs AS
  FUNCTION named_in(p_manifest_id VARCHAR2) RETURN JSON IS
    v_named JSON;
  BEGIN
    SELECT JSON_ARRAYAGG(
        JSON_OBJECT('type' VALUE n.type, 'id' VALUE n.id, 'version' VALUE n.version RETURNING JSON) RETURNING JSON)
      INTO v_named
      FROM (
        WITH own AS (
          SELECT c.payload FROM mem_owner.conversation_memory c
          WHERE c.tenant_id = SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID') AND c.manifest_id = p_manifest_id
            AND c.event_type = 'context_manifest'
            AND (SYS_CONTEXT('MEMORY_CTX', 'KIND') = 'operator'
              OR c.user_id = SYS_CONTEXT('MEMORY_CTX', 'USER_ID')
                AND (c.agent_id = SYS_CONTEXT('MEMORY_CTX', 'AGENT_ID')
                  OR c.agent_id IS NULL AND SYS_CONTEXT('MEMORY_CTX', 'AGENT_ID') IS NULL))
        )
        SELECT r.type, r.id, r.version
        FROM own m
        CROSS JOIN JSON_TABLE(m.payload, '$.manifest.dependencies[*]' COLUMNS (type VARCHAR2(32) PATH '$.ref[0]',
          id VARCHAR2(128) PATH '$.ref[1]', version NUMBER PATH '$.ref[2]')) r
        UNION ALL
        SELECT r.type, r.id, r.version
        FROM own m
        CROSS JOIN JSON_TABLE(m.payload, '$.manifest.memories[*]' COLUMNS (type VARCHAR2(32) PATH '$.ref[0]',
          id VARCHAR2(128) PATH '$.ref[1]', version NUMBER PATH '$.ref[2]')) r
        UNION ALL
        SELECT r.type, r.id, r.version
        FROM own m
        CROSS JOIN JSON_TABLE(m.payload, '$.manifest.excluded[*]' COLUMNS (type VARCHAR2(32) PATH '$.ref[0]',
          id VARCHAR2(128) PATH '$.ref[1]', version NUMBER PATH '$.ref[2]')) r
        UNION ALL
        SELECT r.type, r.id, r.version
        FROM own m
        CROSS JOIN JSON_TABLE(m.payload, '$.manifest' COLUMNS (type VARCHAR2(32) PATH '$.budget_ref[0]',
          id VARCHAR2(128) PATH '$.budget_ref[1]', version NUMBER PATH '$.budget_ref[2]')) r
        UNION ALL
        SELECT r.type, r.id, r.version
        FROM own m
        CROSS JOIN JSON_TABLE(m.payload, '$.manifest' COLUMNS (type VARCHAR2(32) PATH '$.retrieval_ref[0]',
          id VARCHAR2(128) PATH '$.retrieval_ref[1]', version NUMBER PATH '$.retrieval_ref[2]')) r
      ) n
      WHERE n.type IS NOT NULL;
    RETURN v_named;
  END named_in;

  FUNCTION of_manifest(p_manifest_id VARCHAR2) RETURN JSON IS
    v_named JSON := named_in(p_manifest_id);
    v_gone JSON;
  BEGIN
    IF v_named IS NULL THEN
      RETURN NULL;
    END IF;
    mem_sec.mem_ctx.see_tenant;
    SELECT JSON_ARRAYAGG(
        JSON_OBJECT('type' VALUE g.type, 'id' VALUE g.id, 'version' VALUE g.version RETURNING JSON) RETURNING JSON)
      INTO v_gone
      FROM (
        SELECT DISTINCT n.type, n.id, n.version
        FROM JSON_TABLE(v_named, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
          version NUMBER PATH '$.version')) n
        WHERE NOT EXISTS (
          SELECT 1 FROM mem_owner.known_version k
          WHERE k.tenant_id = SYS_CONTEXT('MEMORY_CTX', 'TENANT_ID') AND k.type = n.type AND k.id = n.id
            AND k.deleted_at IS NULL)
      ) g;
    mem_sec.mem_ctx.see_own;
    RETURN v_gone;
  EXCEPTION
    WHEN OTHERS THEN
      mem_sec.mem_ctx.see_own;
      RAISE;
  END of_manifest;
END gone_refs;
/
GRANT EXECUTE ON mem_sec.gone_refs TO mem_app, mem_operator
/
-- A citation id is looked up without its run; what a row replaced is found by the row that replaced it.
CREATE INDEX IF NOT EXISTS mem_owner.issued_memory_citation ON mem_owner.issued_memory (tenant_id, citation_id)
/
CREATE INDEX IF NOT EXISTS mem_owner.entity_memory_replaced ON mem_owner.entity_memory (tenant_id, superseded_by)
/
CREATE INDEX IF NOT EXISTS mem_owner.knowledge_base_document_replaced
  ON mem_owner.knowledge_base_document (tenant_id, superseded_by)
/
