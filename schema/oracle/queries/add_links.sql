-- A link is as private as the more private of its ends.
-- binds: new_links json
-- context: tenant_id
INSERT INTO mem_owner.memory_link (tenant_id, user_id, source_type, source_id, source_version, target_type, target_id,
  target_version, relation, metadata, created_at)
SELECT :tenant_id, n.user_id, n.source_type, n.source_id, n.source_version, n.target_type, n.target_id,
  n.target_version,
  n.relation, JSON('{}'), SYS_EXTRACT_UTC(SYSTIMESTAMP)
FROM (
  SELECT DISTINCT COALESCE(s.user_id, t.user_id) AS user_id, l.source_type, l.source_id, l.source_version,
    l.target_type, l.target_id, l.target_version, l.relation
  FROM JSON_TABLE(:new_links, '$[*]' COLUMNS (
      source_type VARCHAR2(32) PATH '$.source_type', source_id VARCHAR2(128) PATH '$.source_id',
      source_version NUMBER PATH '$.source_version', target_type VARCHAR2(32) PATH '$.target_type',
      target_id VARCHAR2(128) PATH '$.target_id', target_version NUMBER PATH '$.target_version',
      relation VARCHAR2(32) PATH '$.relation')) l
  LEFT JOIN mem_owner.known_version s
    ON s.tenant_id = :tenant_id AND s.type = l.source_type AND s.id = l.source_id AND s.version = l.source_version
  LEFT JOIN mem_owner.known_version t
    ON t.tenant_id = :tenant_id AND t.type = l.target_type AND t.id = l.target_id AND t.version = l.target_version
) n
WHERE NOT EXISTS (
  SELECT 1 FROM mem_owner.memory_link e
  WHERE e.tenant_id = :tenant_id AND e.source_type = n.source_type AND e.source_id = n.source_id
    AND e.source_version = n.source_version AND e.target_type = n.target_type AND e.target_id = n.target_id
    AND e.target_version = n.target_version AND e.relation = n.relation AND e.user_key = NVL(n.user_id, CHR(1)))
