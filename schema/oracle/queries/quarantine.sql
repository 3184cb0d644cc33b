-- Marks one row; a reason of NULL clears the mark.
-- binds: ref_type, row_id, ref_version number, reason
-- context: tenant_id
DECLARE
  v_marked NUMBER := 0;
  v_at TIMESTAMP(6) := CASE WHEN :reason IS NOT NULL THEN SYS_EXTRACT_UTC(SYSTIMESTAMP) END;
BEGIN
  CASE :ref_type
    WHEN 'guideline' THEN
      UPDATE mem_owner.guideline_memory m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND m.version = :ref_version;
      v_marked := SQL%ROWCOUNT;
    WHEN 'persona' THEN
      UPDATE mem_owner.persona_memory m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND 1 = :ref_version;
      v_marked := SQL%ROWCOUNT;
    WHEN 'toolbox' THEN
      UPDATE mem_owner.toolbox_memory m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND m.version = :ref_version;
      v_marked := SQL%ROWCOUNT;
    WHEN 'entity' THEN
      UPDATE mem_owner.entity_memory m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND m.version = :ref_version;
      v_marked := SQL%ROWCOUNT;
    WHEN 'workflow' THEN
      UPDATE mem_owner.workflow_memory m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND m.version = :ref_version;
      v_marked := SQL%ROWCOUNT;
    WHEN 'summary' THEN
      UPDATE mem_owner.summarization_memory m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND 1 = :ref_version;
      v_marked := SQL%ROWCOUNT;
    WHEN 'conversation' THEN
      UPDATE mem_owner.conversation_memory m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.event_id = :row_id AND 1 = :ref_version;
      v_marked := SQL%ROWCOUNT;
    WHEN 'document' THEN
      UPDATE mem_owner.knowledge_base_document m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND m.version = :ref_version;
      v_marked := SQL%ROWCOUNT;
    WHEN 'chunk' THEN
      UPDATE mem_owner.knowledge_base_chunk m SET m.quarantined_at = v_at, m.quarantine_reason = :reason
        WHERE m.tenant_id = :tenant_id AND m.id = :row_id AND 1 = :ref_version;
      v_marked := SQL%ROWCOUNT;
    ELSE
      NULL;
  END CASE;
  SELECT JSON_ARRAY(JSON_OBJECT('marked' VALUE v_marked RETURNING JSON) RETURNING JSON) INTO :result FROM DUAL;
END;
