-- Those refs that the caller cannot see any more, as the writing transaction sees it.
-- binds: refs json
-- context: tenant_id
SELECT r.type, r.id, r.version
FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
  version NUMBER PATH '$.version')) r
WHERE NOT EXISTS (
  SELECT 1 FROM mem_owner.known_version v
  WHERE v.tenant_id = :tenant_id AND v.type = r.type AND v.id = r.id AND v.version = r.version)
