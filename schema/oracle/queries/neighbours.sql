-- The living turns of its thread, or chunks of its document, that stand next to each of these memories; so many on each
-- side, in their order.
-- binds: refs json, reach number
-- context: tenant_id
SELECT p.type, p.id, p.version, p.neighbour, p.is_before = 1 AS is_before, p.place
FROM (
    SELECT r.type, r.id, r.version, n.event_id AS neighbour, 1 AS is_before, n.turn_index AS place,
      ROW_NUMBER() OVER (PARTITION BY r.type, r.id ORDER BY n.turn_index DESC) AS distance
    FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
      version NUMBER PATH '$.version')) r
    JOIN mem_owner.conversation_memory c ON c.tenant_id = :tenant_id AND c.event_id = r.id
    JOIN mem_owner.conversation_memory n ON n.tenant_id = :tenant_id AND n.user_id = c.user_id AND n.thread_id = c.thread_id
      AND (n.agent_id = c.agent_id OR n.agent_id IS NULL AND c.agent_id IS NULL) AND n.turn_index < c.turn_index
    WHERE r.type = 'conversation' AND n.deleted_at IS NULL
    UNION ALL
    SELECT r.type, r.id, r.version, n.event_id AS neighbour, 0 AS is_before, n.turn_index AS place,
      ROW_NUMBER() OVER (PARTITION BY r.type, r.id ORDER BY n.turn_index) AS distance
    FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
      version NUMBER PATH '$.version')) r
    JOIN mem_owner.conversation_memory c ON c.tenant_id = :tenant_id AND c.event_id = r.id
    JOIN mem_owner.conversation_memory n ON n.tenant_id = :tenant_id AND n.user_id = c.user_id AND n.thread_id = c.thread_id
      AND (n.agent_id = c.agent_id OR n.agent_id IS NULL AND c.agent_id IS NULL) AND n.turn_index > c.turn_index
    WHERE r.type = 'conversation' AND n.deleted_at IS NULL
    UNION ALL
    SELECT r.type, r.id, r.version, n.id AS neighbour, 1 AS is_before, n.chunk_index AS place,
      ROW_NUMBER() OVER (PARTITION BY r.type, r.id ORDER BY n.chunk_index DESC) AS distance
    FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
      version NUMBER PATH '$.version')) r
    JOIN mem_owner.knowledge_base_chunk c ON c.tenant_id = :tenant_id AND c.id = r.id
    JOIN mem_owner.knowledge_base_chunk n ON n.tenant_id = :tenant_id AND n.document_id = c.document_id AND n.chunk_index < c.chunk_index
    WHERE r.type = 'chunk' AND n.deleted_at IS NULL
    UNION ALL
    SELECT r.type, r.id, r.version, n.id AS neighbour, 0 AS is_before, n.chunk_index AS place,
      ROW_NUMBER() OVER (PARTITION BY r.type, r.id ORDER BY n.chunk_index) AS distance
    FROM JSON_TABLE(:refs, '$[*]' COLUMNS (type VARCHAR2(32) PATH '$.type', id VARCHAR2(128) PATH '$.id',
      version NUMBER PATH '$.version')) r
    JOIN mem_owner.knowledge_base_chunk c ON c.tenant_id = :tenant_id AND c.id = r.id
    JOIN mem_owner.knowledge_base_chunk n ON n.tenant_id = :tenant_id AND n.document_id = c.document_id AND n.chunk_index > c.chunk_index
    WHERE r.type = 'chunk' AND n.deleted_at IS NULL
) p
WHERE p.distance <= :reach
ORDER BY p.type, p.id, p.place
