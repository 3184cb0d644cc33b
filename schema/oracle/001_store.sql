-- The two tables that describe the store itself. Run as a DBA, after principals.sql. Every statement ends with a line
-- that holds only a slash, and can be run again: Oracle commits DDL by itself, so a file that failed half-way is simply
-- run from its beginning.

CREATE TABLE IF NOT EXISTS mem_owner.schema_version (
  migration_number NUMBER(4) NOT NULL,
  name VARCHAR2(100 BYTE) NOT NULL,
  applied_at TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  CONSTRAINT schema_version_pk PRIMARY KEY (migration_number)
)
/
CREATE TABLE IF NOT EXISTS mem_owner.store_setting (
  name VARCHAR2(100 BYTE) NOT NULL,
  value VARCHAR2(4000 BYTE) NOT NULL,
  CONSTRAINT store_setting_pk PRIMARY KEY (name)
)
/
INSERT INTO mem_owner.store_setting (name, value)
SELECT 'incarnation', LOWER(RAWTOHEX(SYS_GUID())) FROM DUAL
WHERE NOT EXISTS (SELECT 1 FROM mem_owner.store_setting s WHERE s.name = 'incarnation')
/
COMMIT
/
