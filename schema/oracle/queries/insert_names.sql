-- Entries: ref, names.
-- binds: entries json
-- context: tenant_id
INSERT INTO mem_owner.memory_name (tenant_id, kind, id, version, name, subject, user_id, agent_id, thread_id,
  valid_from,
  valid_until, quarantined)
SELECT i.tenant_id, i.kind, i.id, i.version, e.name, i.subject, i.user_id, i.agent_id, i.thread_id, i.valid_from,
  i.valid_until, i.quarantined
FROM (
  SELECT DISTINCT j.type, j.id, j.version, j.name
  FROM JSON_TABLE(:entries, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
    version NUMBER PATH '$.version', NESTED PATH '$.names[*]' COLUMNS (name VARCHAR2(1000) PATH '$'))) j
  WHERE j.name IS NOT NULL
) e
JOIN mem_owner.indexable i ON i.kind = e.type AND i.id = e.id AND i.version = e.version
WHERE i.tenant_id = :tenant_id
