-- Issues ids with their refs.
-- binds: run_id, issued json
-- context: tenant_id, user_id
INSERT INTO mem_owner.issued_memory (tenant_id, run_id, citation_id, user_id, agent_id, thread_id, ref_type, ref_id,
  ref_version, issued_at)
SELECT r.tenant_id, r.run_id, i.citation_id, r.user_id, r.agent_id, r.thread_id, i.type, i.id, i.version,
  SYS_EXTRACT_UTC(SYSTIMESTAMP)
FROM mem_owner.context_run r
CROSS JOIN (
  SELECT DISTINCT j.citation_id, j.type, j.id, j.version
  FROM JSON_TABLE(:issued, '$[*]' COLUMNS (citation_id VARCHAR2(16) PATH '$.citation_id',
    type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version')) j
) i
WHERE r.tenant_id = :tenant_id AND r.run_id = :run_id AND r.user_id = :user_id
  AND NOT EXISTS (
    SELECT 1 FROM mem_owner.issued_memory m
    WHERE m.tenant_id = r.tenant_id AND m.run_id = r.run_id AND m.citation_id = i.citation_id)
