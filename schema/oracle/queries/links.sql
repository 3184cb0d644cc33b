-- Links that begin or end at these refs.
-- binds: refs json
-- context: tenant_id, user_id, scn
SELECT DISTINCT l.source_type, l.source_id, l.source_version, l.target_type, l.target_id, l.target_version, l.relation
FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
  version NUMBER PATH '$.version')) r
JOIN mem_owner.memory_link AS OF SCN :scn l
  ON l.source_type = r.type AND l.source_id = r.id AND l.source_version = r.version
    OR l.target_type = r.type AND l.target_id = r.id AND l.target_version = r.version
WHERE l.tenant_id = :tenant_id AND (l.user_id IS NULL OR l.user_id = :user_id)
ORDER BY l.source_type, l.source_id, l.source_version, l.target_type, l.target_id, l.target_version, l.relation
FETCH FIRST 5000 ROWS ONLY
