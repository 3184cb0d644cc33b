-- New rows; those whose id exists stay as they are. Returns the ids of those that did not.
-- binds: new_rows json
-- context: tenant_id
DECLARE
  v_now TIMESTAMP(6) := SYS_EXTRACT_UTC(SYSTIMESTAMP);
BEGIN
  SELECT JSON_ARRAYAGG(JSON_OBJECT('id' VALUE r.id RETURNING JSON) RETURNING JSON) INTO :result
    FROM JSON_TABLE(:new_rows, '$[*]' COLUMNS (id VARCHAR2(128) PATH '$.id')) r
    WHERE NOT EXISTS (SELECT 1 FROM mem_owner.toolbox_memory e WHERE e.tenant_id = :tenant_id AND e.id = r.id);
  INSERT INTO mem_owner.toolbox_memory (tenant_id, id, user_id, agent_id, tool_name, tool_schema, tool_handler,
      access_policy, usage_notes, version, superseded_by, valid_from, valid_until, created_at, written_by,
      source_event_id, trust)
    SELECT :tenant_id, r.id, r.user_id, r.agent_id, r.tool_name, r.tool_schema, r.tool_handler, r.access_policy,
      r.usage_notes, r.version, r.superseded_by, COALESCE(TO_TIMESTAMP(r.valid_from), v_now),
      TO_TIMESTAMP(r.valid_until), COALESCE(TO_TIMESTAMP(r.created_at), v_now), r.written_by, r.source_event_id,
      r.trust
    FROM JSON_TABLE(:new_rows, '$[*]' COLUMNS (
      id VARCHAR2(128) PATH '$.id', user_id VARCHAR2(255) PATH '$.user_id',
      agent_id VARCHAR2(255) PATH '$.agent_id', tool_name VARCHAR2(500) PATH '$.tool_name',
      tool_schema JSON PATH '$.tool_schema', tool_handler VARCHAR2(255) PATH '$.tool_handler',
      access_policy JSON PATH '$.access_policy', usage_notes CLOB PATH '$.usage_notes',
      version NUMBER PATH '$.version', superseded_by VARCHAR2(128) PATH '$.superseded_by',
      valid_from VARCHAR2(27) PATH '$.valid_from', valid_until VARCHAR2(27) PATH '$.valid_until',
      created_at VARCHAR2(27) PATH '$.created_at', written_by VARCHAR2(255) PATH '$.written_by',
      source_event_id VARCHAR2(128) PATH '$.source_event_id', trust VARCHAR2(16) PATH '$.trust')) r
    WHERE NOT EXISTS (SELECT 1 FROM mem_owner.toolbox_memory e WHERE e.tenant_id = :tenant_id AND e.id = r.id);
END;
