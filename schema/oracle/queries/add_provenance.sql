-- An end user's edges are theirs; an operator's belong to whom the derived row belongs.
-- binds: edges json
-- context: tenant_id, user_id
INSERT INTO mem_owner.context_source_ref (tenant_id, user_id, derived_type, derived_id, derived_version, source_type,
  source_id, source_version, relation, created_at)
SELECT :tenant_id, n.user_id, n.derived_type, n.derived_id, n.derived_version, n.source_type, n.source_id,
  n.source_version, n.relation, SYS_EXTRACT_UTC(SYSTIMESTAMP)
FROM (
  SELECT DISTINCT COALESCE(:user_id, v.user_id) AS user_id, d.derived_type, d.derived_id, d.derived_version,
    d.source_type, d.source_id, d.source_version, d.relation
  FROM JSON_TABLE(:edges, '$[*]' COLUMNS (
      derived_type VARCHAR2(32) PATH '$.derived_type', derived_id VARCHAR2(128) PATH '$.derived_id',
      derived_version NUMBER PATH '$.derived_version', source_type VARCHAR2(32) PATH '$.source_type',
      source_id VARCHAR2(128) PATH '$.source_id', source_version NUMBER PATH '$.source_version',
      relation VARCHAR2(32) PATH '$.relation')) d
  LEFT JOIN mem_owner.known_version v
    ON :user_id IS NULL AND v.tenant_id = :tenant_id AND v.type = d.derived_type AND v.id = d.derived_id
      AND v.version = d.derived_version
) n
WHERE NOT EXISTS (
  SELECT 1 FROM mem_owner.context_source_ref e
  WHERE e.tenant_id = :tenant_id AND e.derived_type = n.derived_type AND e.derived_id = n.derived_id
    AND e.derived_version = n.derived_version AND e.source_type = n.source_type AND e.source_id = n.source_id
    AND e.source_version = n.source_version AND e.relation = n.relation AND e.user_key = NVL(n.user_id, CHR(1)))
