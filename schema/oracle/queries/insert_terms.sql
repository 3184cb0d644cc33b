-- Entries: ref, content_hash, the analysis that they come from, lengths as four columns, and terms as [{term, title_count, date_count, body_count,
-- context_count}].
-- binds: entries json
-- context: tenant_id
BEGIN
  INSERT INTO mem_owner.memory_term (tenant_id, kind, id, version, user_id, agent_id, thread_id, collection, group_id,
      valid_from, valid_until, quarantined, content_hash, title_length, date_length, body_length, context_length,
      analysis)
    SELECT i.tenant_id, i.kind, i.id, i.version, i.user_id, i.agent_id, i.thread_id, i.collection, i.group_id,
      i.valid_from, i.valid_until, i.quarantined, e.content_hash, e.title_length, e.date_length, e.body_length,
      e.context_length, e.analysis
    FROM JSON_TABLE(:entries, '$[*]' COLUMNS (
      type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version',
      content_hash VARCHAR2(64) PATH '$.content_hash', analysis NUMBER PATH '$.analysis', title_length NUMBER PATH '$.title_length',
      date_length NUMBER PATH '$.date_length', body_length NUMBER PATH '$.body_length',
      context_length NUMBER PATH '$.context_length')) e
    JOIN mem_owner.indexable i ON i.kind = e.type AND i.id = e.id AND i.version = e.version
    WHERE i.tenant_id = :tenant_id;
  INSERT INTO mem_owner.memory_posting (tenant_id, term, kind, id, version, user_id, agent_id, thread_id, title_count,
      date_count, body_count, context_count)
    SELECT m.tenant_id, e.term, m.kind, m.id, m.version, m.user_id, m.agent_id, m.thread_id, e.title_count,
      e.date_count, e.body_count, e.context_count
    FROM JSON_TABLE(:entries, '$[*]' COLUMNS (
      type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version',
      NESTED PATH '$.terms[*]' COLUMNS (
        term VARCHAR2(255) PATH '$.term', title_count NUMBER PATH '$.title_count',
        date_count NUMBER PATH '$.date_count', body_count NUMBER PATH '$.body_count',
        context_count NUMBER PATH '$.context_count'))) e
    JOIN mem_owner.memory_term m ON m.kind = e.type AND m.id = e.id AND m.version = e.version
    WHERE m.tenant_id = :tenant_id AND e.term IS NOT NULL;
END;
