-- What an installation has of what is optional or is set for the whole database; seen whole by an administrator alone.
-- binds: none
SELECT (SELECT p.value FROM V$PARAMETER p WHERE p.name = 'compatible') AS compatible_release,
  (SELECT n.value FROM NLS_DATABASE_PARAMETERS n WHERE n.parameter = 'NLS_CHARACTERSET') AS character_set,
  (SELECT TO_NUMBER(p.value) FROM V$PARAMETER p WHERE p.name = 'vector_memory_size') AS vector_memory,
  (SELECT TO_NUMBER(p.value) FROM V$PARAMETER p WHERE p.name = 'undo_retention') AS undo_seconds,
  DBTIMEZONE AS database_zone, SESSIONTIMEZONE AS session_zone,
  (SELECT COUNT(*) FROM ALL_OBJECTS c
    WHERE c.object_type = 'CONTEXT' AND c.object_name = 'MEMORY_CTX') AS contexts,
  (SELECT COUNT(*) FROM ALL_INDEXES i
    WHERE i.owner = 'MEM_OWNER' AND i.index_name LIKE '%!_TEXT' ESCAPE '!' AND i.index_type = 'DOMAIN') AS text_indexes,
  (SELECT COUNT(*) FROM DBA_FLASHBACK_ARCHIVE_TABLES a WHERE a.owner_name = 'MEM_OWNER') AS archived_tables
FROM DUAL
