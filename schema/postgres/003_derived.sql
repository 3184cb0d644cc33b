-- Derived tables: everything here can be dropped and rebuilt from the canonical rows. Their rows carry copies of the
-- scope and lifecycle of the memory they describe, so that a search filters without a join; triggers below keep the
-- copies true.

set local role mem_owner;

-- One indexed text. `terms` is the tenant's own lexeme and every distinct term; `frequencies` holds four values
-- (title, date, body, context) a lexeme, in the order of tsvector_to_array(terms), which is that of collation "C".
create table memory.memory_term (
  tenant_id text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  collection text collate "C",
  -- The thread of a turn or summary, the document of a chunk.
  group_id text collate "C",
  valid_from timestamptz not null,
  valid_until timestamptz,
  quarantined boolean not null,
  content_hash text collate "C" not null,
  terms tsvector not null,
  frequencies smallint[] not null,
  lengths integer[] not null check (cardinality(lengths) = 4),
  primary key (tenant_id, kind, id, version)
);
-- Without a pending list: the embedded engine has no vacuum that would empty it, and searches would read it in full.
create index memory_term_terms on memory.memory_term using gin (terms) with (fastupdate = off);
-- One user's search must not read what the other users of a tenant wrote.
create index memory_term_owner on memory.memory_term (tenant_id, user_id);

do $$
declare
  dimensions integer := current_setting('memory.embedder_dimensions')::integer;
begin
  execute format($table$
    create table memory.memory_vector (
      tenant_id text collate "C" not null,
      kind text collate "C" not null,
      id text collate "C" not null,
      version integer not null,
      part text collate "C" not null check (part in ('text', 'context')),
      user_id text collate "C",
      agent_id text collate "C",
      thread_id text collate "C",
      collection text collate "C",
      group_id text collate "C",
      valid_from timestamptz not null,
      valid_until timestamptz,
      quarantined boolean not null,
      content_hash text collate "C" not null,
      embedder text collate "C" not null,
      vector vector(%1$s) not null,
      primary key (tenant_id, part, kind, id, version)
    )$table$, dimensions);
  -- Sign bits stand in a narrow table of their own: a scan of them reads a tenth of the pages.
  execute format($table$
    create table memory.memory_sign (
      tenant_id text collate "C" not null,
      kind text collate "C" not null,
      id text collate "C" not null,
      version integer not null,
      part text collate "C" not null check (part in ('text', 'context')),
      user_id text collate "C",
      agent_id text collate "C",
      thread_id text collate "C",
      collection text collate "C",
      valid_from timestamptz not null,
      valid_until timestamptz,
      quarantined boolean not null,
      bits bit(%1$s) not null,
      primary key (tenant_id, part, kind, id, version)
    )$table$, dimensions);
end
$$;

create index memory_vector_owner on memory.memory_vector (tenant_id, part, user_id);
create index memory_sign_owner on memory.memory_sign (tenant_id, part, user_id);

-- Names by which a question may call a subject.
create table memory.memory_name (
  tenant_id text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
  name text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  valid_from timestamptz not null,
  valid_until timestamptz,
  quarantined boolean not null,
  primary key (tenant_id, kind, id, version, name)
);
create index memory_name_name on memory.memory_name (tenant_id, name);
create index memory_name_subject on memory.memory_name (tenant_id, subject);

-- Tokens of a rendered element. The writer's user_id is part of the key, also for a shared memory.
create table memory.token_count (
  tenant_id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  thread_id text collate "C",
  user_key text collate "C" not null generated always as (coalesce(user_id, '')) stored,
  kind text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
  tier text collate "C" not null check (tier in ('full', 'summary', 'pointer')),
  renderer_version text collate "C" not null,
  encoding text collate "C" not null,
  content_hash text collate "C" not null,
  tokens integer not null check (tokens >= 0),
  primary key (tenant_id, kind, id, version, tier, renderer_version, encoding, user_key)
);

-- What can be indexed, with what the copies are taken from. Reads as its caller, under row security.
create view memory.indexable with (security_invoker = true) as
select tenant_id, 'entity'::text collate "C" as kind, id, version, user_id, agent_id, thread_id,
  null::text collate "C" as collection, null::text collate "C" as group_id, subject,
  valid_from, valid_until, quarantined_at is not null as quarantined
from memory.entity_memory where deleted_at is null
union all
select tenant_id, 'workflow'::text collate "C", id, version, user_id, agent_id, null::text collate "C",
  null::text collate "C", null::text collate "C", workflow_name, valid_from, valid_until, quarantined_at is not null
from memory.workflow_memory where deleted_at is null
union all
select tenant_id, 'summary'::text collate "C", id, 1, user_id, agent_id, thread_id,
  null::text collate "C", thread_id, title, valid_from, valid_until, quarantined_at is not null
from memory.summarization_memory where deleted_at is null
union all
select tenant_id, 'conversation'::text collate "C", event_id, 1, user_id, agent_id, thread_id,
  null::text collate "C", thread_id, event_id, created_at, null::timestamptz, quarantined_at is not null
from memory.conversation_memory where deleted_at is null and turn_index is not null
union all
select c.tenant_id, 'chunk'::text collate "C", c.id, 1, c.user_id, c.agent_id, null::text collate "C",
  d.collection, c.document_id, d.title, d.valid_from, d.valid_until,
  c.quarantined_at is not null or d.quarantined_at is not null
from memory.knowledge_base_chunk c
join memory.knowledge_base_document d on d.tenant_id = c.tenant_id and d.id = c.document_id
where c.deleted_at is null and d.deleted_at is null;

-- Every version that a ref can name, without text. Reads as its caller, under row security.
create view memory.known_version with (security_invoker = true) as
select tenant_id, 'guideline'::text collate "C" as type, id, version, user_id, agent_id, thread_id,
  valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
  null::text collate "C" as subject, null::text collate "C" as predicate, null::jsonb as conditions
from memory.guideline_memory
union all
select tenant_id, 'persona'::text collate "C", id, 1, user_id, agent_id, thread_id,
  valid_from, valid_until, created_at, deleted_at, null::text collate "C", quarantined_at,
  null::text collate "C", null::text collate "C", null::jsonb
from memory.persona_memory
union all
select tenant_id, 'toolbox'::text collate "C", id, version, user_id, agent_id, null::text collate "C",
  valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
  null::text collate "C", null::text collate "C", null::jsonb
from memory.toolbox_memory
union all
select tenant_id, 'entity'::text collate "C", id, version, user_id, agent_id, thread_id,
  valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
  subject, predicate, content_json -> 'conditions'
from memory.entity_memory
union all
select tenant_id, 'workflow'::text collate "C", id, version, user_id, agent_id, null::text collate "C",
  valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
  null::text collate "C", null::text collate "C", null::jsonb
from memory.workflow_memory
union all
select tenant_id, 'summary'::text collate "C", id, 1, user_id, agent_id, thread_id,
  valid_from, valid_until, created_at, deleted_at, null::text collate "C", quarantined_at,
  null::text collate "C", null::text collate "C", null::jsonb
from memory.summarization_memory
union all
select tenant_id, 'conversation'::text collate "C", event_id, 1, user_id, agent_id, thread_id,
  created_at, null::timestamptz, created_at, deleted_at, null::text collate "C", quarantined_at,
  null::text collate "C", null::text collate "C", null::jsonb
from memory.conversation_memory
union all
select tenant_id, 'document'::text collate "C", id, version, user_id, agent_id, null::text collate "C",
  valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
  null::text collate "C", null::text collate "C", null::jsonb
from memory.knowledge_base_document
union all
select c.tenant_id, 'chunk'::text collate "C", c.id, 1, c.user_id, c.agent_id, null::text collate "C",
  d.valid_from, d.valid_until, c.created_at, coalesce(c.deleted_at, d.deleted_at), d.superseded_by,
  coalesce(c.quarantined_at, d.quarantined_at),
  null::text collate "C", null::text collate "C", null::jsonb
from memory.knowledge_base_chunk c
join memory.knowledge_base_document d on d.tenant_id = c.tenant_id and d.id = c.document_id
union all
select tenant_id, 'compression'::text collate "C", id, 1, user_id, agent_id, thread_id,
  created_at, null::timestamptz, created_at, null::timestamptz, null::text collate "C", null::timestamptz,
  null::text collate "C", null::text collate "C", null::jsonb
from memory.context_compression;

-- Keeps the copies true: a deleted memory leaves the index, a retired or quarantined one is marked in it.
-- Definer, because whoever changes a memory may not own its index rows; it touches only rows of the changed memory.
create function memory.sync_derived() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_kind text := tg_argv[0];
  v_id text := coalesce(to_jsonb(old) ->> 'event_id', to_jsonb(old) ->> 'id');
  v_ids text[] := array[v_id];
begin
  if v_kind = 'document' then
    v_kind := 'chunk';
    v_ids := array(select c.id from memory.knowledge_base_chunk c
      where c.tenant_id = old.tenant_id and c.document_id = v_id);
  end if;
  if tg_op = 'UPDATE' and new.deleted_at is null then
    update memory.memory_term t set valid_until = i.valid_until, quarantined = i.quarantined from memory.indexable i
      where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids)
        and i.tenant_id = t.tenant_id and i.kind = t.kind and i.id = t.id and i.version = t.version;
    update memory.memory_vector t set valid_until = i.valid_until, quarantined = i.quarantined from memory.indexable i
      where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids) and t.part in ('text', 'context')
        and i.tenant_id = t.tenant_id and i.kind = t.kind and i.id = t.id and i.version = t.version;
    update memory.memory_sign t set valid_until = i.valid_until, quarantined = i.quarantined from memory.indexable i
      where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids) and t.part in ('text', 'context')
        and i.tenant_id = t.tenant_id and i.kind = t.kind and i.id = t.id and i.version = t.version;
    update memory.memory_name t set valid_until = i.valid_until, quarantined = i.quarantined from memory.indexable i
      where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids)
        and i.tenant_id = t.tenant_id and i.kind = t.kind and i.id = t.id and i.version = t.version;
    return null;
  end if;
  delete from memory.memory_term t where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids);
  delete from memory.memory_vector t where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids)
    and t.part in ('text', 'context');
  delete from memory.memory_sign t where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids)
    and t.part in ('text', 'context');
  delete from memory.memory_name t where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids);
  delete from memory.token_count t where t.tenant_id = old.tenant_id and t.kind = v_kind and t.id = any (v_ids);
  return null;
end
$$;

create trigger sync_derived after update or delete on memory.entity_memory
  for each row execute function memory.sync_derived('entity');
create trigger sync_derived after update or delete on memory.workflow_memory
  for each row execute function memory.sync_derived('workflow');
create trigger sync_derived after update or delete on memory.summarization_memory
  for each row execute function memory.sync_derived('summary');
create trigger sync_derived after update or delete on memory.conversation_memory
  for each row execute function memory.sync_derived('conversation');
create trigger sync_derived after update or delete on memory.knowledge_base_document
  for each row execute function memory.sync_derived('document');
create trigger sync_derived after update or delete on memory.knowledge_base_chunk
  for each row execute function memory.sync_derived('chunk');
