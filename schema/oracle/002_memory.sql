-- The canonical tables. Ids have at most 255 bytes (row ids 128, ASCII), so they are measured in bytes: the widest key
-- then fits an index block of 8 KB. Times are UTC. Oracle holds an empty text as NULL, so columns that may be empty
-- (usage_notes, description) are nullable here. Past reads need no copies of rows: they are made AS OF an SCN.
-- Unique indexes named *_active hold at most one open row for a key: partly NULL keys collide, wholly NULL ones are not
-- in the index, so a retired row leaves it.

CREATE TABLE IF NOT EXISTS mem_owner.guideline_memory (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  guideline_key VARCHAR2(500 BYTE) NOT NULL,
  guideline_value JSON NOT NULL,
  version NUMBER(9) NOT NULL,
  superseded_by VARCHAR2(128 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT guideline_memory_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT guideline_memory_version CHECK (version >= 1),
  CONSTRAINT guideline_memory_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported'))
)
/
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.guideline_memory_active ON mem_owner.guideline_memory (
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN tenant_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN user_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN agent_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN thread_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN guideline_key END
)
/
CREATE TABLE IF NOT EXISTS mem_owner.persona_memory (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  persona_key VARCHAR2(500 BYTE) NOT NULL,
  persona_value JSON,
  confidence BINARY_DOUBLE,
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT persona_memory_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT persona_memory_confidence CHECK (confidence BETWEEN 0 AND 1),
  CONSTRAINT persona_memory_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported'))
)
/
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.persona_memory_active ON mem_owner.persona_memory (
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN tenant_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN user_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN agent_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN thread_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN persona_key END
)
/
CREATE TABLE IF NOT EXISTS mem_owner.toolbox_memory (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  tool_name VARCHAR2(500 BYTE) NOT NULL,
  tool_schema JSON NOT NULL,
  tool_handler VARCHAR2(255 BYTE) NOT NULL,
  access_policy JSON NOT NULL,
  usage_notes CLOB,
  version NUMBER(9) NOT NULL,
  superseded_by VARCHAR2(128 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT toolbox_memory_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT toolbox_memory_version CHECK (version >= 1),
  CONSTRAINT toolbox_memory_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported'))
)
/
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.toolbox_memory_active ON mem_owner.toolbox_memory (
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN tenant_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN user_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN agent_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN tool_name END
)
/
CREATE TABLE IF NOT EXISTS mem_owner.entity_memory (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  subject VARCHAR2(1000 BYTE) NOT NULL,
  predicate VARCHAR2(1000 BYTE) NOT NULL,
  content CLOB,
  content_hash VARCHAR2(64 BYTE),
  content_json JSON NOT NULL,
  -- SHA-256 of the canonical JSON of content_json.conditions; NULL without conditions.
  conditions_hash VARCHAR2(64 BYTE),
  confidence BINARY_DOUBLE,
  version NUMBER(9) NOT NULL,
  superseded_by VARCHAR2(128 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT entity_memory_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT entity_memory_confidence CHECK (confidence BETWEEN 0 AND 1),
  CONSTRAINT entity_memory_version CHECK (version >= 1),
  CONSTRAINT entity_memory_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported'))
)
/
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.entity_memory_active ON mem_owner.entity_memory (
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN tenant_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN user_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN agent_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN thread_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN subject END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN predicate END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN conditions_hash END
)
/
CREATE INDEX IF NOT EXISTS mem_owner.entity_memory_claim
  ON mem_owner.entity_memory (tenant_id, subject, predicate)
/
CREATE TABLE IF NOT EXISTS mem_owner.workflow_memory (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  workflow_name VARCHAR2(1000 BYTE) NOT NULL,
  description CLOB,
  steps JSON NOT NULL,
  preconditions CLOB,
  expected_outcome CLOB,
  success_count NUMBER(9) NOT NULL,
  failure_count NUMBER(9) NOT NULL,
  confidence BINARY_DOUBLE,
  version NUMBER(9) NOT NULL,
  superseded_by VARCHAR2(128 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT workflow_memory_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT workflow_memory_success CHECK (success_count >= 0),
  CONSTRAINT workflow_memory_failure CHECK (failure_count >= 0),
  CONSTRAINT workflow_memory_confidence CHECK (confidence BETWEEN 0 AND 1),
  CONSTRAINT workflow_memory_version CHECK (version >= 1),
  CONSTRAINT workflow_memory_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported'))
)
/
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.workflow_memory_active ON mem_owner.workflow_memory (
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN tenant_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN user_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN agent_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN workflow_name END
)
/
CREATE TABLE IF NOT EXISTS mem_owner.summarization_memory (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  task_type VARCHAR2(255 BYTE) NOT NULL,
  title VARCHAR2(4000 BYTE) NOT NULL,
  summary CLOB NOT NULL,
  key_steps JSON NOT NULL,
  outcome CLOB,
  artifacts JSON,
  confidence BINARY_DOUBLE,
  completed_at TIMESTAMP(6) NOT NULL,
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT summarization_memory_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT summarization_memory_confidence CHECK (confidence BETWEEN 0 AND 1),
  CONSTRAINT summarization_memory_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported'))
)
/
-- One partition a day: retention drops days, and a search of the present touches few of them. The keys stay global,
-- since an event is asked for by its id.
CREATE TABLE IF NOT EXISTS mem_owner.conversation_memory (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  event_id VARCHAR2(128 BYTE) NOT NULL,
  -- Ties of created_at are possible; this never ties. ORDER keeps it in step on every instance of a cluster.
  event_order NUMBER(19) GENERATED ALWAYS AS IDENTITY (ORDER) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  run_id VARCHAR2(128 BYTE),
  turn_index NUMBER(9),
  event_type VARCHAR2(32 BYTE) NOT NULL,
  role VARCHAR2(16 BYTE),
  payload JSON NOT NULL,
  manifest_id VARCHAR2(128 BYTE) GENERATED ALWAYS AS (
    COALESCE(JSON_VALUE(payload, '$.manifest_id' RETURNING VARCHAR2(128)),
      JSON_VALUE(payload, '$.manifest.manifest_id' RETURNING VARCHAR2(128)))) VIRTUAL,
  token_cost NUMBER(9),
  latency_ms BINARY_DOUBLE,
  retention_class VARCHAR2(255 BYTE),
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT conversation_memory_pk PRIMARY KEY (tenant_id, event_id),
  CONSTRAINT conversation_memory_event_type CHECK (event_type IN (
    'user_msg', 'model_msg', 'tool_call', 'tool_result', 'retrieval', 'context_manifest',
    'request', 'clarification', 'feedback', 'promotion', 'erasure', 'tombstone')),
  CONSTRAINT conversation_memory_role CHECK (role IN ('user', 'assistant', 'tool', 'system')),
  CONSTRAINT conversation_memory_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported')),
  CONSTRAINT conversation_memory_turn_index CHECK (
    turn_index IS NOT NULL AND event_type IN ('user_msg', 'model_msg')
    OR turn_index IS NULL AND event_type NOT IN ('user_msg', 'model_msg'))
)
PARTITION BY RANGE (created_at) INTERVAL (NUMTODSINTERVAL(1, 'DAY'))
  (PARTITION before_2020 VALUES LESS THAN (TIMESTAMP '2020-01-01 00:00:00'))
/
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.conversation_memory_turn ON mem_owner.conversation_memory (
  CASE WHEN turn_index IS NOT NULL THEN tenant_id END,
  CASE WHEN turn_index IS NOT NULL THEN user_id END,
  CASE WHEN turn_index IS NOT NULL THEN thread_id END,
  CASE WHEN turn_index IS NOT NULL THEN agent_id END,
  CASE WHEN turn_index IS NOT NULL THEN turn_index END
)
/
CREATE INDEX IF NOT EXISTS mem_owner.conversation_memory_thread
  ON mem_owner.conversation_memory (tenant_id, user_id, thread_id, event_order)
/
CREATE INDEX IF NOT EXISTS mem_owner.conversation_memory_run
  ON mem_owner.conversation_memory (tenant_id, run_id, event_order)
/
CREATE INDEX IF NOT EXISTS mem_owner.conversation_memory_manifest
  ON mem_owner.conversation_memory (tenant_id, manifest_id)
/
CREATE INDEX IF NOT EXISTS mem_owner.conversation_memory_recent
  ON mem_owner.conversation_memory (tenant_id, user_id, event_type, event_order)
/
CREATE TABLE IF NOT EXISTS mem_owner.knowledge_base_document (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  collection VARCHAR2(1000 BYTE) NOT NULL,
  title VARCHAR2(4000 BYTE) NOT NULL,
  source_uri VARCHAR2(2000 BYTE) NOT NULL,
  source_type VARCHAR2(255 BYTE) NOT NULL,
  content_hash VARCHAR2(64 BYTE) NOT NULL,
  metadata JSON NOT NULL,
  ingested_at TIMESTAMP(6) NOT NULL,
  ingested_by VARCHAR2(255 BYTE) NOT NULL,
  version NUMBER(9) NOT NULL,
  superseded_by VARCHAR2(128 BYTE),
  valid_from TIMESTAMP(6) NOT NULL,
  valid_until TIMESTAMP(6),
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT knowledge_base_document_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT knowledge_base_document_version CHECK (version >= 1),
  CONSTRAINT knowledge_base_document_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported'))
)
/
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.knowledge_base_document_active ON mem_owner.knowledge_base_document (
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN tenant_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN user_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN agent_id END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN collection END,
  CASE WHEN valid_until IS NULL AND deleted_at IS NULL THEN source_uri END
)
/
CREATE TABLE IF NOT EXISTS mem_owner.knowledge_base_chunk (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  document_id VARCHAR2(128 BYTE) NOT NULL,
  chunk_index NUMBER(9) NOT NULL,
  content CLOB NOT NULL,
  content_hash VARCHAR2(64 BYTE) NOT NULL,
  metadata JSON NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  deleted_at TIMESTAMP(6),
  written_by VARCHAR2(255 BYTE) NOT NULL,
  source_event_id VARCHAR2(128 BYTE),
  trust VARCHAR2(16 BYTE) NOT NULL,
  quarantined_at TIMESTAMP(6),
  quarantine_reason VARCHAR2(4000 BYTE),
  CONSTRAINT knowledge_base_chunk_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT knowledge_base_chunk_place UNIQUE (tenant_id, document_id, chunk_index),
  CONSTRAINT knowledge_base_chunk_document FOREIGN KEY (tenant_id, document_id)
    REFERENCES mem_owner.knowledge_base_document (tenant_id, id),
  CONSTRAINT knowledge_base_chunk_index CHECK (chunk_index >= 0),
  CONSTRAINT knowledge_base_chunk_trust CHECK (trust IN ('verified', 'stated', 'derived', 'imported'))
)
/
CREATE TABLE IF NOT EXISTS mem_owner.context_compression (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  source_type VARCHAR2(32 BYTE) NOT NULL,
  source_id VARCHAR2(128 BYTE) NOT NULL,
  source_version NUMBER(9) NOT NULL,
  source_hash VARCHAR2(64 BYTE) NOT NULL,
  text CLOB NOT NULL,
  tokens NUMBER(9) NOT NULL,
  model VARCHAR2(255 BYTE) NOT NULL,
  prompt_version VARCHAR2(255 BYTE) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  CONSTRAINT context_compression_pk PRIMARY KEY (tenant_id, id),
  CONSTRAINT context_compression_tokens CHECK (tokens >= 0)
)
/
CREATE UNIQUE INDEX IF NOT EXISTS mem_owner.context_compression_source ON mem_owner.context_compression
  (tenant_id, source_type, source_id, source_version, source_hash, model, prompt_version, user_id)
/
-- user_key stands in keys for a user_id that may be NULL: no id holds a control character.
CREATE TABLE IF NOT EXISTS mem_owner.context_source_ref (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  user_key VARCHAR2(255 BYTE) GENERATED ALWAYS AS (NVL(user_id, CHR(1))) VIRTUAL NOT NULL,
  derived_type VARCHAR2(32 BYTE) NOT NULL,
  derived_id VARCHAR2(128 BYTE) NOT NULL,
  derived_version NUMBER(9) NOT NULL,
  source_type VARCHAR2(32 BYTE) NOT NULL,
  source_id VARCHAR2(128 BYTE) NOT NULL,
  source_version NUMBER(9) NOT NULL,
  relation VARCHAR2(32 BYTE) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  CONSTRAINT context_source_ref_pk PRIMARY KEY (tenant_id, derived_type, derived_id, derived_version,
    source_type, source_id, source_version, relation, user_key),
  CONSTRAINT context_source_ref_relation CHECK (
    relation IN ('derived_from', 'mentions', 'supports', 'annotates', 'used_in_window'))
)
/
CREATE INDEX IF NOT EXISTS mem_owner.context_source_ref_source
  ON mem_owner.context_source_ref (tenant_id, source_type, source_id, source_version)
/
CREATE TABLE IF NOT EXISTS mem_owner.memory_link (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  user_key VARCHAR2(255 BYTE) GENERATED ALWAYS AS (NVL(user_id, CHR(1))) VIRTUAL NOT NULL,
  source_type VARCHAR2(32 BYTE) NOT NULL,
  source_id VARCHAR2(128 BYTE) NOT NULL,
  source_version NUMBER(9) NOT NULL,
  target_type VARCHAR2(32 BYTE) NOT NULL,
  target_id VARCHAR2(128 BYTE) NOT NULL,
  target_version NUMBER(9) NOT NULL,
  relation VARCHAR2(32 BYTE) NOT NULL,
  metadata JSON NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  CONSTRAINT memory_link_pk PRIMARY KEY (tenant_id, source_type, source_id, source_version,
    target_type, target_id, target_version, relation, user_key),
  CONSTRAINT memory_link_relation CHECK (
    relation IN ('supersedes', 'refines', 'supports', 'contradicts', 'duplicates'))
)
/
CREATE INDEX IF NOT EXISTS mem_owner.memory_link_target
  ON mem_owner.memory_link (tenant_id, target_type, target_id, target_version)
/
-- A thread belongs to (tenant, user, agent): the same name of another principal is another row.
CREATE TABLE IF NOT EXISTS mem_owner.thread (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE) NOT NULL,
  agent_id VARCHAR2(255 BYTE),
  agent_key VARCHAR2(255 BYTE) GENERATED ALWAYS AS (NVL(agent_id, CHR(1))) VIRTUAL NOT NULL,
  thread_id VARCHAR2(255 BYTE) NOT NULL,
  next_turn_index NUMBER(9) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  CONSTRAINT thread_pk PRIMARY KEY (tenant_id, user_id, agent_key, thread_id)
)
/
CREATE TABLE IF NOT EXISTS mem_owner.context_run (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  run_id VARCHAR2(128 BYTE) NOT NULL,
  run_order NUMBER(19) GENERATED ALWAYS AS IDENTITY (ORDER) NOT NULL,
  user_id VARCHAR2(255 BYTE) NOT NULL,
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE) NOT NULL,
  kind VARCHAR2(16 BYTE) NOT NULL,
  max_rounds NUMBER(9) NOT NULL,
  rounds_used NUMBER(9) NOT NULL,
  tool_reserve NUMBER(9) NOT NULL,
  tokens_left NUMBER(9) NOT NULL,
  max_tool_result_tokens NUMBER(9) NOT NULL,
  idle_seconds NUMBER(9) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  last_call_at TIMESTAMP(6) NOT NULL,
  CONSTRAINT context_run_pk PRIMARY KEY (tenant_id, run_id),
  CONSTRAINT context_run_kind CHECK (kind IN ('window', 'implicit')),
  CONSTRAINT context_run_tokens CHECK (tokens_left >= 0)
)
/
CREATE INDEX IF NOT EXISTS mem_owner.context_run_latest
  ON mem_owner.context_run (tenant_id, user_id, thread_id, run_order)
/
CREATE TABLE IF NOT EXISTS mem_owner.issued_memory (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  run_id VARCHAR2(128 BYTE) NOT NULL,
  citation_id VARCHAR2(16 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE) NOT NULL,
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE) NOT NULL,
  ref_type VARCHAR2(32 BYTE) NOT NULL,
  ref_id VARCHAR2(128 BYTE) NOT NULL,
  ref_version NUMBER(9) NOT NULL,
  issued_at TIMESTAMP(6) NOT NULL,
  CONSTRAINT issued_memory_pk PRIMARY KEY (tenant_id, run_id, citation_id),
  CONSTRAINT issued_memory_run FOREIGN KEY (tenant_id, run_id) REFERENCES mem_owner.context_run (tenant_id, run_id)
)
/
CREATE TABLE IF NOT EXISTS mem_owner.deletion_events (
  tenant_id VARCHAR2(255 BYTE) NOT NULL,
  id VARCHAR2(128 BYTE) NOT NULL,
  user_id VARCHAR2(255 BYTE),
  agent_id VARCHAR2(255 BYTE),
  thread_id VARCHAR2(255 BYTE),
  deletion_scope VARCHAR2(255 BYTE) NOT NULL,
  reason VARCHAR2(4000 BYTE) NOT NULL,
  deleted_at TIMESTAMP(6) NOT NULL,
  CONSTRAINT deletion_events_pk PRIMARY KEY (tenant_id, id)
)
/
