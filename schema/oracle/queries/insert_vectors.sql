-- Entries: ref, part, content_hash, vector as text, and its sign bits as text, eight of them a number; null: the embedder
-- knows nothing in it.
-- binds: entries json, embedder
-- context: tenant_id
BEGIN
  INSERT INTO mem_owner.memory_vector (tenant_id, kind, id, version, part, user_id, agent_id, thread_id, collection,
      group_id, valid_from, valid_until, quarantined, content_hash, embedder, vector)
    SELECT i.tenant_id, i.kind, i.id, i.version, e.part, i.user_id, i.agent_id, i.thread_id, i.collection, i.group_id,
      i.valid_from, i.valid_until, i.quarantined, e.content_hash, :embedder, TO_VECTOR(e.vector, *, FLOAT32)
    FROM JSON_TABLE(:entries, '$[*]' COLUMNS (
      type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version',
      part VARCHAR2(16) PATH '$.part', content_hash VARCHAR2(64) PATH '$.content_hash',
      vector CLOB PATH '$.vector')) e
    JOIN mem_owner.indexable i ON i.kind = e.type AND i.id = e.id AND i.version = e.version
    WHERE i.tenant_id = :tenant_id;
  INSERT INTO mem_owner.memory_sign (tenant_id, kind, id, version, part, user_id, agent_id, thread_id, collection,
      valid_from, valid_until, quarantined, embedder, bits)
    SELECT i.tenant_id, i.kind, i.id, i.version, e.part, i.user_id, i.agent_id, i.thread_id, i.collection,
      i.valid_from, i.valid_until, i.quarantined, :embedder, TO_VECTOR(e.bits, *, BINARY)
    FROM JSON_TABLE(:entries, '$[*]' COLUMNS (
      type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id', version NUMBER PATH '$.version',
      part VARCHAR2(16) PATH '$.part', bits CLOB PATH '$.bits')) e
    JOIN mem_owner.indexable i ON i.kind = e.type AND i.id = e.id AND i.version = e.version
    WHERE i.tenant_id = :tenant_id AND e.bits IS NOT NULL;
END;
