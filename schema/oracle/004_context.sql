-- Who a session works for, and what row security makes of it. Only the package that the context names can set it, and
-- it clears before it sets: a connection that comes back from somebody else can never keep their tenant.

CREATE OR REPLACE CONTEXT memory_ctx USING mem_sec.mem_ctx
/
CREATE OR REPLACE PACKAGE mem_sec.mem_ctx AUTHID DEFINER AS
  -- An end user's context always has a tenant and a user.
  PROCEDURE enter(p_tenant_id VARCHAR2, p_user_id VARCHAR2, p_agent_id VARCHAR2);
  -- An operator's has a tenant alone; the server's login has no right to the package that may call this.
  PROCEDURE enter_operator(p_tenant_id VARCHAR2) ACCESSIBLE BY (PACKAGE mem_sec.operator_ctx);
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

  PROCEDURE enter_operator(p_tenant_id VARCHAR2) ACCESSIBLE BY (PACKAGE mem_sec.operator_ctx) IS
  BEGIN
    leave;
    IF p_tenant_id IS NULL THEN
      RAISE_APPLICATION_ERROR(-20001, 'an operator needs a tenant');
    END IF;
    prepare_session;
    DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'TENANT_ID', p_tenant_id);
    DBMS_SESSION.SET_CONTEXT('MEMORY_CTX', 'KIND', 'operator');
  END enter_operator;
END mem_ctx;
/
CREATE OR REPLACE PACKAGE mem_sec.operator_ctx AUTHID DEFINER AS
  PROCEDURE enter(p_tenant_id VARCHAR2);
  PROCEDURE leave;
END operator_ctx;
/
CREATE OR REPLACE PACKAGE BODY mem_sec.operator_ctx AS
  PROCEDURE enter(p_tenant_id VARCHAR2) IS
  BEGIN
    mem_sec.mem_ctx.enter_operator(p_tenant_id);
  END enter;

  PROCEDURE leave IS
  BEGIN
    mem_sec.mem_ctx.leave;
  END leave;
END operator_ctx;
/
-- The conditions that row security adds to a statement. Whoever has not entered sees and writes nothing.
CREATE OR REPLACE PACKAGE mem_sec.mem_policy AUTHID DEFINER AS
  -- Shared rows and one's own; an operator's whole tenant.
  FUNCTION visible(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2;
  -- One's own rows alone; an operator's whole tenant.
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

  FUNCTION visible(p_schema VARCHAR2, p_object VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN condition('(user_id IS NULL OR ' || c_own || ')');
  END visible;

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
GRANT EXECUTE ON mem_sec.mem_ctx TO mem_app
/
GRANT EXECUTE ON mem_sec.operator_ctx TO mem_operator
/
