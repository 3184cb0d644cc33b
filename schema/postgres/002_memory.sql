-- The canonical tables. `xid` is the transaction that wrote the row's present version (set by a trigger of 004).
-- Unique indexes named *_active hold at most one open row for a key; scope columns compare NULL as a value there.

set local role mem_owner;

create table memory.guideline_memory (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  guideline_key text collate "C" not null,
  guideline_value jsonb not null,
  version integer not null check (version >= 1),
  superseded_by text collate "C",
  valid_from timestamptz not null,
  valid_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, id)
);
create unique index guideline_memory_active
  on memory.guideline_memory (tenant_id, user_id, agent_id, thread_id, guideline_key) nulls not distinct
  where valid_until is null and deleted_at is null;

create table memory.persona_memory (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  persona_key text collate "C" not null,
  persona_value jsonb,
  confidence double precision check (confidence between 0 and 1),
  valid_from timestamptz not null,
  valid_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, id)
);
create unique index persona_memory_active
  on memory.persona_memory (tenant_id, user_id, agent_id, thread_id, persona_key) nulls not distinct
  where valid_until is null and deleted_at is null;

create table memory.toolbox_memory (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  tool_name text collate "C" not null,
  tool_schema jsonb not null,
  tool_handler text collate "C" not null,
  access_policy jsonb not null,
  usage_notes text collate "C" not null,
  version integer not null check (version >= 1),
  superseded_by text collate "C",
  valid_from timestamptz not null,
  valid_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, id)
);
create unique index toolbox_memory_active
  on memory.toolbox_memory (tenant_id, user_id, agent_id, tool_name) nulls not distinct
  where valid_until is null and deleted_at is null;

create table memory.entity_memory (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  subject text collate "C" not null,
  predicate text collate "C" not null,
  content text collate "C",
  content_hash text collate "C",
  content_json jsonb not null,
  -- SHA-256 of the canonical JSON of content_json.conditions; NULL without conditions.
  conditions_hash text collate "C",
  confidence double precision check (confidence between 0 and 1),
  version integer not null check (version >= 1),
  superseded_by text collate "C",
  valid_from timestamptz not null,
  valid_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, id)
);
create unique index entity_memory_active
  on memory.entity_memory (tenant_id, user_id, agent_id, thread_id, subject, predicate, conditions_hash)
  nulls not distinct
  where valid_until is null and deleted_at is null;
create index entity_memory_claim on memory.entity_memory (tenant_id, subject, predicate);

create table memory.workflow_memory (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  workflow_name text collate "C" not null,
  description text collate "C" not null,
  steps jsonb not null,
  preconditions text collate "C",
  expected_outcome text collate "C",
  success_count integer not null check (success_count >= 0),
  failure_count integer not null check (failure_count >= 0),
  confidence double precision check (confidence between 0 and 1),
  version integer not null check (version >= 1),
  superseded_by text collate "C",
  valid_from timestamptz not null,
  valid_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, id)
);
create unique index workflow_memory_active
  on memory.workflow_memory (tenant_id, user_id, agent_id, workflow_name) nulls not distinct
  where valid_until is null and deleted_at is null;

create table memory.summarization_memory (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  task_type text collate "C" not null,
  title text collate "C" not null,
  summary text collate "C" not null,
  key_steps jsonb not null,
  outcome text collate "C",
  artifacts jsonb,
  confidence double precision check (confidence between 0 and 1),
  completed_at timestamptz not null,
  valid_from timestamptz not null,
  valid_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, id)
);

create table memory.conversation_memory (
  tenant_id text collate "C" not null,
  event_id text collate "C" not null,
  -- Ties of created_at are possible; this never ties within a database.
  event_order bigint not null generated always as identity,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  run_id text collate "C",
  turn_index integer,
  event_type text collate "C" not null check (event_type in ('user_msg', 'model_msg', 'tool_call', 'tool_result',
    'retrieval', 'context_manifest', 'request', 'clarification', 'feedback', 'promotion', 'erasure', 'tombstone')),
  role text collate "C" check (role in ('user', 'assistant', 'tool', 'system')),
  payload jsonb not null,
  -- A column of its own, because an expression inside a condition hides the index from row security.
  manifest_id text collate "C"
    generated always as (coalesce(payload ->> 'manifest_id', payload -> 'manifest' ->> 'manifest_id')) stored,
  token_cost integer,
  latency_ms double precision,
  retention_class text collate "C",
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, event_id),
  check ((turn_index is not null) = (event_type in ('user_msg', 'model_msg')))
);
create unique index conversation_memory_turn
  on memory.conversation_memory (tenant_id, user_id, thread_id, agent_id, turn_index) nulls not distinct
  where turn_index is not null;
create index conversation_memory_thread on memory.conversation_memory (tenant_id, user_id, thread_id, event_order);
create index conversation_memory_run on memory.conversation_memory (tenant_id, run_id, event_order)
  where run_id is not null;
create index conversation_memory_manifest on memory.conversation_memory (tenant_id, manifest_id)
  where manifest_id is not null;
create index conversation_memory_recent on memory.conversation_memory (tenant_id, user_id, event_order)
  where event_type = 'context_manifest';

create table memory.knowledge_base_document (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  collection text collate "C" not null,
  title text collate "C" not null,
  source_uri text collate "C" not null,
  source_type text collate "C" not null,
  content_hash text collate "C" not null,
  metadata jsonb not null,
  ingested_at timestamptz not null,
  ingested_by text collate "C" not null,
  version integer not null check (version >= 1),
  superseded_by text collate "C",
  valid_from timestamptz not null,
  valid_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, id)
);
create unique index knowledge_base_document_active
  on memory.knowledge_base_document (tenant_id, user_id, agent_id, collection, source_uri) nulls not distinct
  where valid_until is null and deleted_at is null;

create table memory.knowledge_base_chunk (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  document_id text collate "C" not null,
  chunk_index integer not null check (chunk_index >= 0),
  content text collate "C" not null,
  content_hash text collate "C" not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  written_by text collate "C" not null,
  source_event_id text collate "C",
  trust text collate "C" not null check (trust in ('verified', 'stated', 'derived', 'imported')),
  quarantined_at timestamptz,
  quarantine_reason text collate "C",
  xid xid8 not null,
  primary key (tenant_id, id),
  unique (tenant_id, document_id, chunk_index),
  foreign key (tenant_id, document_id) references memory.knowledge_base_document (tenant_id, id)
);

create table memory.context_compression (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  source_type text collate "C" not null,
  source_id text collate "C" not null,
  source_version integer not null,
  source_hash text collate "C" not null,
  text text collate "C" not null,
  tokens integer not null check (tokens >= 0),
  model text collate "C" not null,
  prompt_version text collate "C" not null,
  created_at timestamptz not null,
  xid xid8 not null,
  primary key (tenant_id, id)
);
create unique index context_compression_source
  on memory.context_compression
    (tenant_id, source_type, source_id, source_version, source_hash, model, prompt_version, user_id)
  nulls not distinct;

-- user_key stands in keys for a user_id that may be NULL: user ids are never empty.
create table memory.context_source_ref (
  tenant_id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  user_key text collate "C" not null generated always as (coalesce(user_id, '')) stored,
  derived_type text collate "C" not null,
  derived_id text collate "C" not null,
  derived_version integer not null,
  source_type text collate "C" not null,
  source_id text collate "C" not null,
  source_version integer not null,
  relation text collate "C" not null
    check (relation in ('derived_from', 'mentions', 'supports', 'annotates', 'used_in_window')),
  created_at timestamptz not null,
  xid xid8 not null,
  primary key (tenant_id, derived_type, derived_id, derived_version, source_type, source_id, source_version, relation,
    user_key)
);
create index context_source_ref_source
  on memory.context_source_ref (tenant_id, source_type, source_id, source_version);

create table memory.memory_link (
  tenant_id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  user_key text collate "C" not null generated always as (coalesce(user_id, '')) stored,
  source_type text collate "C" not null,
  source_id text collate "C" not null,
  source_version integer not null,
  target_type text collate "C" not null,
  target_id text collate "C" not null,
  target_version integer not null,
  relation text collate "C" not null
    check (relation in ('supersedes', 'refines', 'supports', 'contradicts', 'duplicates')),
  metadata jsonb not null,
  created_at timestamptz not null,
  xid xid8 not null,
  primary key (tenant_id, source_type, source_id, source_version, target_type, target_id, target_version, relation,
    user_key)
);
create index memory_link_target on memory.memory_link (tenant_id, target_type, target_id, target_version);

-- A thread belongs to (tenant, user, agent): the same name of another principal is another row.
create table memory.thread (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  agent_id text collate "C",
  agent_key text collate "C" not null generated always as (coalesce(agent_id, '')) stored,
  thread_id text collate "C" not null,
  next_turn_index integer not null,
  created_at timestamptz not null,
  primary key (tenant_id, user_id, agent_key, thread_id)
);

create table memory.context_run (
  tenant_id text collate "C" not null,
  run_id text collate "C" not null,
  run_order bigint not null generated always as identity,
  user_id text collate "C" not null,
  agent_id text collate "C",
  thread_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('window', 'implicit')),
  max_rounds integer not null,
  rounds_used integer not null,
  tool_reserve integer not null,
  tokens_left integer not null check (tokens_left >= 0),
  max_tool_result_tokens integer not null,
  idle_seconds integer not null,
  created_at timestamptz not null,
  last_call_at timestamptz not null,
  primary key (tenant_id, run_id)
);
create index context_run_latest on memory.context_run (tenant_id, user_id, thread_id, run_order);

create table memory.issued_memory (
  tenant_id text collate "C" not null,
  run_id text collate "C" not null,
  citation_id text collate "C" not null,
  user_id text collate "C" not null,
  agent_id text collate "C",
  thread_id text collate "C" not null,
  ref_type text collate "C" not null,
  ref_id text collate "C" not null,
  ref_version integer not null,
  issued_at timestamptz not null,
  primary key (tenant_id, run_id, citation_id),
  foreign key (tenant_id, run_id) references memory.context_run (tenant_id, run_id)
);

create table memory.deletion_events (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  deletion_scope text collate "C" not null,
  reason text collate "C" not null,
  deleted_at timestamptz not null,
  primary key (tenant_id, id)
);
