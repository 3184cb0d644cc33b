-- Says which tenant's tools changed. Servers ask for what is new every few seconds: a change is told when it is
-- committed, to all of them, and without a connection that waits.

CREATE TABLE IF NOT EXISTS mem_owner.toolbox_change (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  change_number NUMBER(19) NOT NULL,
  CONSTRAINT toolbox_change_pk PRIMARY KEY (tenant_id)
)
/
CREATE INDEX IF NOT EXISTS mem_owner.toolbox_change_number_order ON mem_owner.toolbox_change (change_number)
/
CREATE SEQUENCE IF NOT EXISTS mem_owner.toolbox_change_number NOCACHE ORDER
/
CREATE OR REPLACE TRIGGER mem_owner.toolbox_memory_change
AFTER INSERT OR UPDATE OR DELETE ON mem_owner.toolbox_memory FOR EACH ROW
DECLARE
  v_tenant_id VARCHAR2(255) := COALESCE(:NEW.tenant_id, :OLD.tenant_id);
  v_number NUMBER := mem_owner.toolbox_change_number.NEXTVAL;
BEGIN
  UPDATE mem_owner.toolbox_change t SET t.change_number = v_number WHERE t.tenant_id = v_tenant_id;
  IF SQL%ROWCOUNT = 0 THEN
    INSERT INTO mem_owner.toolbox_change (tenant_id, change_number) VALUES (v_tenant_id, v_number);
  END IF;
EXCEPTION
  WHEN DUP_VAL_ON_INDEX THEN
    UPDATE mem_owner.toolbox_change t SET t.change_number = v_number WHERE t.tenant_id = v_tenant_id;
END;
/
-- Read by the function below alone, for all tenants; written by the trigger, in the tenant that changed.
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
  guard('TOOLBOX_CHANGE', '_SEEN', 'EVERYONE', 'SELECT');
  guard('TOOLBOX_CHANGE', '_OWNED', 'OF_TENANT', 'INSERT,UPDATE,DELETE');
END;
/
GRANT SELECT ON mem_owner.toolbox_change TO mem_sec
/
-- Tenants whose tools changed after a number, with their numbers. A number is taken before its transaction commits, so
-- the caller asks for some that it has seen, and forgets them.
CREATE OR REPLACE FUNCTION mem_sec.toolbox_changes(p_after NUMBER) RETURN JSON AUTHID DEFINER IS
  v_changes JSON;
BEGIN
  SELECT JSON_ARRAYAGG(
      JSON_OBJECT('tenant_id' VALUE t.tenant_id, 'change_number' VALUE t.change_number RETURNING JSON) RETURNING JSON)
    INTO v_changes
    FROM mem_owner.toolbox_change t
    WHERE t.change_number > p_after;
  RETURN v_changes;
END toolbox_changes;
/
GRANT EXECUTE ON mem_sec.toolbox_changes TO mem_app
/
