-- Tenants whose tools changed after a number, of all tenants: ids and numbers, nothing else.
-- binds: after_number number
SELECT t.tenant_id, t.change_number
FROM JSON_TABLE(mem_sec.toolbox_changes(:after_number), '$[*]' COLUMNS (
  tenant_id VARCHAR2(255) PATH '$.tenant_id', change_number NUMBER PATH '$.change_number')) t
ORDER BY t.change_number
