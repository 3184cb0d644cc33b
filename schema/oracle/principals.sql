-- The four principals. Run once, before `migrate`, by SYS AS SYSDBA (on Autonomous Database by ADMIN) in SQLcl or
-- SQL*Plus, in the pluggable database itself. It asks for a tablespace, two passwords and the login that will migrate;
-- run again it leaves users that exist as they are.
--
--   mem_owner     owns tables, views, triggers and models; nobody can sign in as it
--   mem_sec       owns the context package, the policies' function and the SCN function; nobody can sign in as it
--   mem_app       the server: DB_USER of stdio, http and the library
--   mem_operator  commands of an operator: a tenant, all its rows, no user
--
-- `migrate` itself runs as a login that has the role DBA and is not SYS (on Autonomous Database as ADMIN): it makes
-- objects of the first two.
SET DEFINE ON
SET VERIFY OFF
WHENEVER SQLERROR EXIT FAILURE ROLLBACK

CREATE USER IF NOT EXISTS mem_owner NO AUTHENTICATION
  DEFAULT TABLESPACE &&tablespace QUOTA UNLIMITED ON &&tablespace
/
CREATE USER IF NOT EXISTS mem_sec NO AUTHENTICATION
  DEFAULT TABLESPACE &&tablespace
/
CREATE USER IF NOT EXISTS mem_app IDENTIFIED BY "&&app_password"
/
CREATE USER IF NOT EXISTS mem_operator IDENTIFIED BY "&&operator_password"
/
GRANT CREATE SESSION TO mem_app, mem_operator
/
-- What names a database and its moment; each granted to the package's owner directly, since a role is off inside it.
GRANT EXECUTE ON sys.dbms_flashback TO mem_sec
/
GRANT READ ON sys.v_$database TO mem_sec
/
GRANT READ ON sys.v_$pdb_incarnation TO mem_sec
/
-- The lock of a tenant that is being erased.
GRANT EXECUTE ON sys.dbms_lock TO mem_sec
/
-- What the role DBA lacks: one migration at a time, policies, and a secret that nobody can guess. Nobody grants to
-- himself, so ADMIN of an Autonomous Database, who has them, may be the login that migrates too.
BEGIN
  IF UPPER('&&migration_login') <> USER THEN
    EXECUTE IMMEDIATE 'GRANT EXECUTE ON sys.dbms_lock TO &&migration_login';
    EXECUTE IMMEDIATE 'GRANT EXECUTE ON sys.dbms_rls TO &&migration_login';
    EXECUTE IMMEDIATE 'GRANT EXECUTE ON sys.dbms_crypto TO &&migration_login';
  END IF;
END;
/
UNDEFINE app_password
UNDEFINE operator_password
