-- A secret of the database: what one process seals for a client, another process on the same database can open. It is
-- made once, and for serving alone. It has a table of its own, because row security holds inside functions too: a
-- hidden row of store_setting would be hidden from the function below.

CREATE TABLE IF NOT EXISTS mem_owner.store_secret (
  name VARCHAR2(100 BYTE) NOT NULL,
  value VARCHAR2(4000 BYTE) NOT NULL,
  CONSTRAINT store_secret_pk PRIMARY KEY (name)
)
/
BEGIN
  INSERT INTO mem_owner.store_secret (name, value)
    SELECT 'sealing_secret', LOWER(RAWTOHEX(DBMS_CRYPTO.RANDOMBYTES(40))) FROM DUAL
    WHERE NOT EXISTS (SELECT 1 FROM mem_owner.store_secret s WHERE s.name = 'sealing_secret');
  COMMIT;
END;
/
-- No login has a grant on the table; the policy is there because every table has one.
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
  guard('STORE_SECRET', '_SEEN', 'EVERYONE', 'SELECT');
END;
/
GRANT SELECT ON mem_owner.store_secret TO mem_sec
/
CREATE OR REPLACE FUNCTION mem_sec.sealing_secret RETURN VARCHAR2 AUTHID DEFINER IS
  v_secret VARCHAR2(4000);
BEGIN
  SELECT s.value INTO v_secret FROM mem_owner.store_secret s WHERE s.name = 'sealing_secret';
  RETURN v_secret;
END sealing_secret;
/
GRANT EXECUTE ON mem_sec.sealing_secret TO mem_app
/
