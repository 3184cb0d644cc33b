-- Derived tables: everything here can be dropped and rebuilt from the canonical rows. Their rows carry copies of the
-- scope and lifecycle of the memory they describe, so that a search filters without a join; triggers below keep the
-- copies true. The text of a memory is analysed in TypeScript alike for every engine; what comes of it stands here as
-- plain rows, so a search sees exactly what its SCN saw. (A text index knows only the present.)

-- One indexed text: how long it is, by field. Its terms are rows of memory_posting.
CREATE TABLE IF NOT EXISTS mem_owner.memory_term (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  kind VARCHAR2(32 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  version NUMBER(9) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  collection VARCHAR2(1000 BYTE),
  -- The thread of a turn or summary, the document of a chunk.
  group_id VARCHAR2(255 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  quarantined BOOLEAN NOT NULL,
  content_hash VARCHAR2(64 BYTE) NOT NULL,
  title_length NUMBER(9) NOT NULL,
  date_length NUMBER(9) NOT NULL,
  body_length NUMBER(9) NOT NULL,
  context_length NUMBER(9) NOT NULL,
  CONSTRAINT memory_term_pk PRIMARY KEY (tenant_id, kind, id, version)
)
/
-- One user's search must not read what the other users of a tenant wrote.
CREATE INDEX IF NOT EXISTS mem_owner.memory_term_owner
  ON mem_owner.memory_term (tenant_id, user_id)
/
-- How often a term stands in each field of a text. The key leads from a tenant's term to its texts.
CREATE TABLE IF NOT EXISTS mem_owner.memory_posting (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  term VARCHAR2(255 BYTE) NOT NULL,
  kind VARCHAR2(32 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  version NUMBER(9) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  title_count NUMBER(5) NOT NULL,
  date_count NUMBER(5) NOT NULL,
  body_count NUMBER(5) NOT NULL,
  context_count NUMBER(5) NOT NULL,
  CONSTRAINT memory_posting_pk PRIMARY KEY (tenant_id, term, kind, id, version)
)
ORGANIZATION INDEX COMPRESS 2
/
CREATE INDEX IF NOT EXISTS mem_owner.memory_posting_text
  ON mem_owner.memory_posting (tenant_id, kind, id, version)
/
-- Any number of dimensions: store_setting names the embedder that all of them come from. Vectors have length 1.
CREATE TABLE IF NOT EXISTS mem_owner.memory_vector (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  kind VARCHAR2(32 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  version NUMBER(9) NOT NULL,
  part VARCHAR2(16 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  collection VARCHAR2(1000 BYTE),
  group_id VARCHAR2(255 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  quarantined BOOLEAN NOT NULL,
  content_hash VARCHAR2(64 BYTE) NOT NULL,
  embedder VARCHAR2(255 BYTE) NOT NULL,
  vector VECTOR(*, FLOAT32) NOT NULL,
  CONSTRAINT memory_vector_pk PRIMARY KEY (tenant_id, part, kind, id, version),
  CONSTRAINT memory_vector_part CHECK (part IN ('text', 'context'))
)
/
-- Sign bits stand in a narrow table of their own: a scan of them reads a small part of the blocks.
CREATE TABLE IF NOT EXISTS mem_owner.memory_sign (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  kind VARCHAR2(32 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  version NUMBER(9) NOT NULL,
  part VARCHAR2(16 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  collection VARCHAR2(1000 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  quarantined BOOLEAN NOT NULL,
  bits VECTOR(*, BINARY) NOT NULL,
  CONSTRAINT memory_sign_pk PRIMARY KEY (tenant_id, part, kind, id, version),
  CONSTRAINT memory_sign_part CHECK (part IN ('text', 'context'))
)
/
CREATE INDEX IF NOT EXISTS mem_owner.memory_vector_owner
  ON mem_owner.memory_vector (tenant_id, part, user_id)
/
CREATE INDEX IF NOT EXISTS mem_owner.memory_sign_owner
  ON mem_owner.memory_sign (tenant_id, part, user_id)
/
-- Names by which a question may call a subject.
CREATE TABLE IF NOT EXISTS mem_owner.memory_name (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  kind VARCHAR2(32 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  version NUMBER(9) NOT NULL,
  name VARCHAR2(1000 BYTE) NOT NULL,
  subject VARCHAR2(1000 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  quarantined BOOLEAN NOT NULL,
  CONSTRAINT memory_name_pk PRIMARY KEY (tenant_id, kind, id, version, name)
)
/
CREATE INDEX IF NOT EXISTS mem_owner.memory_name_name
  ON mem_owner.memory_name (tenant_id, name)
/
CREATE INDEX IF NOT EXISTS mem_owner.memory_name_subject
  ON mem_owner.memory_name (tenant_id, subject)
/
-- Tokens of a rendered element. The writer's user_id is part of the key, also for a shared memory.
CREATE TABLE IF NOT EXISTS mem_owner.token_count (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  user_key VARCHAR2(255 BYTE) GENERATED ALWAYS AS (NVL(user_id, CHR(1))) VIRTUAL NOT NULL,
  kind VARCHAR2(32 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  version NUMBER(9) NOT NULL,
  tier VARCHAR2(16 BYTE) NOT NULL,
  renderer_version VARCHAR2(255 BYTE) NOT NULL,
  encoding VARCHAR2(255 BYTE) NOT NULL,
  content_hash VARCHAR2(64 BYTE) NOT NULL,
  tokens NUMBER(9) NOT NULL,
  CONSTRAINT token_count_pk PRIMARY KEY (tenant_id, kind, id, version, tier, renderer_version, encoding, user_key),
  CONSTRAINT token_count_tier CHECK (tier IN ('full', 'summary', 'pointer')),
  CONSTRAINT token_count_tokens CHECK (tokens >= 0)
)
/
-- What can be indexed, with what the copies are taken from. The policies of its tables hold for whoever reads it.
CREATE OR REPLACE VIEW mem_owner.indexable (tenant_id, kind, id, version, user_id, agent_id, thread_id, collection,
  group_id, subject, valid_from, valid_until, quarantined) AS
SELECT tenant_id, 'entity', id, version, user_id, agent_id, thread_id, CAST(NULL AS VARCHAR2(1000)),
  CAST(NULL AS VARCHAR2(255)), subject, valid_from, valid_until,
  CASE WHEN quarantined_at IS NULL THEN FALSE ELSE TRUE END
FROM mem_owner.entity_memory WHERE deleted_at IS NULL
UNION ALL
SELECT tenant_id, 'workflow', id, version, user_id, agent_id, CAST(NULL AS VARCHAR2(255)),
  CAST(NULL AS VARCHAR2(1000)), CAST(NULL AS VARCHAR2(255)), workflow_name, valid_from, valid_until,
  CASE WHEN quarantined_at IS NULL THEN FALSE ELSE TRUE END
FROM mem_owner.workflow_memory WHERE deleted_at IS NULL
UNION ALL
SELECT tenant_id, 'summary', id, 1, user_id, agent_id, thread_id, CAST(NULL AS VARCHAR2(1000)), thread_id, title,
  valid_from, valid_until, CASE WHEN quarantined_at IS NULL THEN FALSE ELSE TRUE END
FROM mem_owner.summarization_memory WHERE deleted_at IS NULL
UNION ALL
SELECT tenant_id, 'conversation', event_id, 1, user_id, agent_id, thread_id, CAST(NULL AS VARCHAR2(1000)), thread_id,
  event_id, created_at, CAST(NULL AS TIMESTAMP(6)), CASE WHEN quarantined_at IS NULL THEN FALSE ELSE TRUE END
FROM mem_owner.conversation_memory WHERE deleted_at IS NULL AND turn_index IS NOT NULL
UNION ALL
SELECT c.tenant_id, 'chunk', c.id, 1, c.user_id, c.agent_id, CAST(NULL AS VARCHAR2(255)), d.collection, c.document_id,
  d.title, d.valid_from, d.valid_until,
  CASE WHEN c.quarantined_at IS NULL AND d.quarantined_at IS NULL THEN FALSE ELSE TRUE END
FROM mem_owner.knowledge_base_chunk c
JOIN mem_owner.knowledge_base_document d ON d.tenant_id = c.tenant_id AND d.id = c.document_id
WHERE c.deleted_at IS NULL AND d.deleted_at IS NULL
/
-- Whose is each version that a ref can name, without text: what a link or an edge takes its user from.
CREATE OR REPLACE VIEW mem_owner.known_version (tenant_id, type, id, version, user_id, agent_id, thread_id) AS
SELECT tenant_id, 'guideline', id, version, user_id, agent_id, thread_id FROM mem_owner.guideline_memory
UNION ALL
SELECT tenant_id, 'persona', id, 1, user_id, agent_id, thread_id FROM mem_owner.persona_memory
UNION ALL
SELECT tenant_id, 'toolbox', id, version, user_id, agent_id, CAST(NULL AS VARCHAR2(255)) FROM mem_owner.toolbox_memory
UNION ALL
SELECT tenant_id, 'entity', id, version, user_id, agent_id, thread_id FROM mem_owner.entity_memory
UNION ALL
SELECT tenant_id, 'workflow', id, version, user_id, agent_id, CAST(NULL AS VARCHAR2(255))
FROM mem_owner.workflow_memory
UNION ALL
SELECT tenant_id, 'summary', id, 1, user_id, agent_id, thread_id FROM mem_owner.summarization_memory
UNION ALL
SELECT tenant_id, 'conversation', event_id, 1, user_id, agent_id, thread_id FROM mem_owner.conversation_memory
UNION ALL
SELECT tenant_id, 'document', id, version, user_id, agent_id, CAST(NULL AS VARCHAR2(255))
FROM mem_owner.knowledge_base_document
UNION ALL
SELECT tenant_id, 'chunk', id, 1, user_id, agent_id, CAST(NULL AS VARCHAR2(255)) FROM mem_owner.knowledge_base_chunk
UNION ALL
SELECT tenant_id, 'compression', id, 1, user_id, agent_id, thread_id FROM mem_owner.context_compression
/
-- Keeps the copies true: a deleted memory leaves the index, a retired or quarantined one is marked in it. It runs with
-- the owner's rights, because the runtime may not change these columns; the policies hold for it all the same.
CREATE OR REPLACE PACKAGE mem_owner.derived_rows AUTHID DEFINER AS
  PROCEDURE mark(p_tenant_id VARCHAR2, p_kind VARCHAR2, p_id VARCHAR2, p_valid_until TIMESTAMP, p_quarantined BOOLEAN);
  PROCEDURE remove(p_tenant_id VARCHAR2, p_kind VARCHAR2, p_id VARCHAR2);
END derived_rows;
/
CREATE OR REPLACE PACKAGE BODY mem_owner.derived_rows AS
  PROCEDURE mark(
    p_tenant_id VARCHAR2, p_kind VARCHAR2, p_id VARCHAR2, p_valid_until TIMESTAMP, p_quarantined BOOLEAN
  ) IS
  BEGIN
    UPDATE mem_owner.memory_term t SET t.valid_until = p_valid_until, t.quarantined = p_quarantined
      WHERE t.tenant_id = p_tenant_id AND t.kind = p_kind AND t.id = p_id;
    UPDATE mem_owner.memory_vector t SET t.valid_until = p_valid_until, t.quarantined = p_quarantined
      WHERE t.tenant_id = p_tenant_id AND t.part IN ('text', 'context') AND t.kind = p_kind AND t.id = p_id;
    UPDATE mem_owner.memory_sign t SET t.valid_until = p_valid_until, t.quarantined = p_quarantined
      WHERE t.tenant_id = p_tenant_id AND t.part IN ('text', 'context') AND t.kind = p_kind AND t.id = p_id;
    UPDATE mem_owner.memory_name t SET t.valid_until = p_valid_until, t.quarantined = p_quarantined
      WHERE t.tenant_id = p_tenant_id AND t.kind = p_kind AND t.id = p_id;
  END mark;

  PROCEDURE remove(p_tenant_id VARCHAR2, p_kind VARCHAR2, p_id VARCHAR2) IS
  BEGIN
    DELETE FROM mem_owner.memory_posting t
      WHERE t.tenant_id = p_tenant_id AND t.kind = p_kind AND t.id = p_id;
    DELETE FROM mem_owner.memory_term t
      WHERE t.tenant_id = p_tenant_id AND t.kind = p_kind AND t.id = p_id;
    DELETE FROM mem_owner.memory_vector t
      WHERE t.tenant_id = p_tenant_id AND t.part IN ('text', 'context') AND t.kind = p_kind AND t.id = p_id;
    DELETE FROM mem_owner.memory_sign t
      WHERE t.tenant_id = p_tenant_id AND t.part IN ('text', 'context') AND t.kind = p_kind AND t.id = p_id;
    DELETE FROM mem_owner.memory_name t
      WHERE t.tenant_id = p_tenant_id AND t.kind = p_kind AND t.id = p_id;
    DELETE FROM mem_owner.token_count t
      WHERE t.tenant_id = p_tenant_id AND t.kind = p_kind AND t.id = p_id;
  END remove;
END derived_rows;
/
-- A trigger must not read the table that is changing: each takes what it needs from the row itself.
CREATE OR REPLACE TRIGGER mem_owner.entity_memory_derived
AFTER UPDATE OR DELETE ON mem_owner.entity_memory FOR EACH ROW
BEGIN
  IF DELETING OR :NEW.deleted_at IS NOT NULL THEN
    mem_owner.derived_rows.remove(:OLD.tenant_id, 'entity', :OLD.id);
  ELSE
    mem_owner.derived_rows.mark(:OLD.tenant_id, 'entity', :OLD.id, :NEW.valid_until, :NEW.quarantined_at IS NOT NULL);
  END IF;
END;
/
CREATE OR REPLACE TRIGGER mem_owner.workflow_memory_derived
AFTER UPDATE OR DELETE ON mem_owner.workflow_memory FOR EACH ROW
BEGIN
  IF DELETING OR :NEW.deleted_at IS NOT NULL THEN
    mem_owner.derived_rows.remove(:OLD.tenant_id, 'workflow', :OLD.id);
  ELSE
    mem_owner.derived_rows.mark(:OLD.tenant_id, 'workflow', :OLD.id, :NEW.valid_until, :NEW.quarantined_at IS NOT NULL);
  END IF;
END;
/
CREATE OR REPLACE TRIGGER mem_owner.summarization_memory_derived
AFTER UPDATE OR DELETE ON mem_owner.summarization_memory FOR EACH ROW
BEGIN
  IF DELETING OR :NEW.deleted_at IS NOT NULL THEN
    mem_owner.derived_rows.remove(:OLD.tenant_id, 'summary', :OLD.id);
  ELSE
    mem_owner.derived_rows.mark(:OLD.tenant_id, 'summary', :OLD.id, :NEW.valid_until, :NEW.quarantined_at IS NOT NULL);
  END IF;
END;
/
CREATE OR REPLACE TRIGGER mem_owner.conversation_memory_derived
AFTER UPDATE OR DELETE ON mem_owner.conversation_memory FOR EACH ROW
BEGIN
  IF DELETING OR :NEW.deleted_at IS NOT NULL THEN
    mem_owner.derived_rows.remove(:OLD.tenant_id, 'conversation', :OLD.event_id);
  ELSE
    mem_owner.derived_rows.mark(:OLD.tenant_id, 'conversation', :OLD.event_id, NULL, :NEW.quarantined_at IS NOT NULL);
  END IF;
END;
/
CREATE OR REPLACE TRIGGER mem_owner.knowledge_base_document_derived
AFTER UPDATE OR DELETE ON mem_owner.knowledge_base_document FOR EACH ROW
BEGIN
  FOR chunk IN (
    SELECT c.id, c.deleted_at, c.quarantined_at FROM mem_owner.knowledge_base_chunk c
    WHERE c.tenant_id = :OLD.tenant_id AND c.document_id = :OLD.id
  ) LOOP
    IF DELETING OR :NEW.deleted_at IS NOT NULL OR chunk.deleted_at IS NOT NULL THEN
      mem_owner.derived_rows.remove(:OLD.tenant_id, 'chunk', chunk.id);
    ELSE
      mem_owner.derived_rows.mark(:OLD.tenant_id, 'chunk', chunk.id, :NEW.valid_until,
        :NEW.quarantined_at IS NOT NULL OR chunk.quarantined_at IS NOT NULL);
    END IF;
  END LOOP;
END;
/
CREATE OR REPLACE TRIGGER mem_owner.knowledge_base_chunk_derived
AFTER UPDATE OR DELETE ON mem_owner.knowledge_base_chunk FOR EACH ROW
DECLARE
  v_valid_until mem_owner.knowledge_base_document.valid_until%TYPE;
  v_quarantined_at mem_owner.knowledge_base_document.quarantined_at%TYPE;
BEGIN
  IF DELETING OR :NEW.deleted_at IS NOT NULL THEN
    mem_owner.derived_rows.remove(:OLD.tenant_id, 'chunk', :OLD.id);
  ELSE
    SELECT d.valid_until, d.quarantined_at INTO v_valid_until, v_quarantined_at
      FROM mem_owner.knowledge_base_document d
      WHERE d.tenant_id = :NEW.tenant_id AND d.id = :NEW.document_id;
    mem_owner.derived_rows.mark(:OLD.tenant_id, 'chunk', :OLD.id, v_valid_until,
      :NEW.quarantined_at IS NOT NULL OR v_quarantined_at IS NOT NULL);
  END IF;
END;
/
