-- Erasure and retention (design E1, N4): what was named, and all that came of it however far, goes in one transaction.
-- The functions that delete run as the owner, because nobody at run time may delete canonical rows or history.

set local role mem_owner;

-- An event without a user is the tombstone of an erased user's manifest: only the operator may still ask for it.
do $$
declare
  name text;
begin
  foreach name in array array['conversation_memory', 'conversation_memory_history'] loop
    execute format($policy$
      alter policy app_reads on memory.%I using (
        tenant_id = (select nullif(current_setting('memory.tenant_id', true), ''))
        and user_id = (select nullif(current_setting('memory.user_id', true), '')))$policy$, name);
  end loop;
  -- What came of an event is found without reading whole tables.
  foreach name in array array['guideline_memory', 'persona_memory', 'toolbox_memory', 'entity_memory',
    'workflow_memory', 'summarization_memory', 'conversation_memory', 'knowledge_base_document',
    'knowledge_base_chunk'] loop
    execute format('create index %I on memory.%I (tenant_id, source_event_id) where source_event_id is not null',
      name || '_source_event', name);
  end loop;
end
$$;

-- How far back each tenant's history reaches: what was retired by a transaction before `horizon` may be gone. A read as
-- of a snapshot is whole when the snapshot's xmin is not below it.
create table memory.history_horizon (
  tenant_id text collate "C" primary key,
  horizon xid8 not null,
  pruned_at timestamptz not null
);

-- Transactions before `xid` had ended at that time: the only clock that says how old a retired version is.
create table memory.history_mark (
  tenant_id text collate "C" not null,
  xid xid8 not null,
  marked_at timestamptz not null,
  primary key (tenant_id, marked_at)
);

do $$
declare
  name text;
  tenant constant text := $q$tenant_id = (select nullif(current_setting('memory.tenant_id', true), ''))$q$;
begin
  foreach name in array array['history_horizon', 'history_mark'] loop
    execute format('alter table memory.%I enable row level security', name);
    execute format('create policy app_reads on memory.%I for select to mem_app using (%s and %s)', name, tenant,
      $q$(select nullif(current_setting('memory.user_id', true), '')) is not null$q$);
    execute format('create policy operator_reads on memory.%I for select to mem_operator using (%s)', name, tenant);
    execute format('grant select on memory.%I to mem_app, mem_operator', name);
  end loop;
end
$$;

-- Every write of a tenant holds this lock shared, an erasure holds it alone: whatever is derived was either there when
-- the erasure looked, or finds its source gone.
create function memory.tenant_lock(p_tenant text) returns bigint
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$ select hashtextextended(p_tenant, 10) $$;

grant execute on function memory.tenant_lock to mem_app, mem_operator;

-- True for a row of the user, thread or tenant that is erased as a whole.
create function memory.in_erased_scope(p_target jsonb, p_user text, p_agent text, p_thread text) returns boolean
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select coalesce(case p_target ->> 'kind'
    when 'tenant' then true
    when 'user' then p_user = p_target ->> 'user_id'
    when 'thread' then p_user = p_target ->> 'user_id' and p_thread = p_target ->> 'thread_id'
      and (p_target ->> 'agent_id' is null or p_agent = p_target ->> 'agent_id')
    else false
  end, false)
$$;

-- After how many days an event goes by a policy; NULL: it stays. An event without a class has its type as class.
create function memory.days_kept(p_policy jsonb, p_class text, p_type text) returns integer
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select case jsonb_typeof(found.days) when 'number' then (found.days)::integer end
  from (select case when p_policy -> 'classes' ? coalesce(p_class, p_type)
    then p_policy -> 'classes' -> coalesce(p_class, p_type) else p_policy -> 'default' end as days) found
$$;

-- The rows that a target names. All versions of a document are one document.
create function memory.erasure_roots(p_tenant text, p_target jsonb, p_most integer)
returns table (type text, id text)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  v_id text := p_target ->> 'id';
begin
  case p_target ->> 'kind'
    when 'event' then
      return query select 'conversation', c.event_id from memory.conversation_memory c
        where c.tenant_id = p_tenant and c.event_id = v_id and c.event_type <> 'tombstone';
    when 'document' then
      return query select 'document', d.id from memory.knowledge_base_document named
        join memory.knowledge_base_document d on d.tenant_id = named.tenant_id and d.collection = named.collection
          and d.source_uri = named.source_uri and d.user_id is not distinct from named.user_id
          and d.agent_id is not distinct from named.agent_id
        where named.tenant_id = p_tenant and named.id = v_id;
    when 'expired' then
      return query select 'conversation', c.event_id from memory.conversation_memory c
        where c.tenant_id = p_tenant and c.event_type <> 'tombstone'
          and c.created_at < clock_timestamp()
            - make_interval(days => memory.days_kept(p_target -> 'policy', c.retention_class, c.event_type))
        order by c.event_order limit p_most;
    when 'user', 'thread', 'tenant' then
      return query
        select 'guideline', e.id from memory.guideline_memory e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, e.thread_id)
        union all select 'persona', e.id from memory.persona_memory e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, e.thread_id)
        union all select 'toolbox', e.id from memory.toolbox_memory e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, null)
        union all select 'entity', e.id from memory.entity_memory e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, e.thread_id)
        union all select 'workflow', e.id from memory.workflow_memory e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, null)
        union all select 'summary', e.id from memory.summarization_memory e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, e.thread_id)
        union all select 'conversation', e.event_id from memory.conversation_memory e where e.tenant_id = p_tenant
          and e.event_type <> 'tombstone' and memory.in_erased_scope(p_target, e.user_id, e.agent_id, e.thread_id)
        union all select 'document', e.id from memory.knowledge_base_document e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, null)
        union all select 'chunk', e.id from memory.knowledge_base_chunk e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, null)
        union all select 'compression', e.id from memory.context_compression e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, e.thread_id)
        union all select 'run', e.run_id from memory.context_run e where e.tenant_id = p_tenant
          and memory.in_erased_scope(p_target, e.user_id, e.agent_id, e.thread_id);
    else
      raise exception 'unknown kind of erasure' using errcode = '22023';
  end case;
end
$$;

-- What came directly of these rows. A window is one thing: manifest, request, retrieval, result and what was said of it.
-- A request holds all that its run exchanged before, so whatever follows an erased exchange goes too; turns of the
-- conversation go only by their provenance.
create function memory.erasure_step(p_tenant text, p_types text[], p_ids text[]) returns table (type text, id text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with gone as materialized (
    select u.type, u.id from unnest(p_types, p_ids) as u (type, id)
  ), event as materialized (
    select c.event_type, c.event_order, c.run_id, c.manifest_id, c.payload ->> 'call_id' as call_id
    from gone g join memory.conversation_memory c on c.tenant_id = p_tenant and c.event_id = g.id
    where g.type = 'conversation'
  ), sources as materialized (
    select g.id from gone g where g.type = 'conversation'
  )
  select s.derived_type, s.derived_id from gone g
    join memory.context_source_ref s on s.tenant_id = p_tenant and s.source_type = g.type and s.source_id = g.id
  union select 'compression', c.id from gone g
    join memory.context_compression c on c.tenant_id = p_tenant and c.source_type = g.type and c.source_id = g.id
  union select 'chunk', c.id from gone g
    join memory.knowledge_base_chunk c on c.tenant_id = p_tenant and c.document_id = g.id
    where g.type = 'document'
  union select 'entity', e.id from gone g
    join memory.entity_memory e on e.tenant_id = p_tenant and e.content_json ->> 'source_document_id' = g.id
    where g.type = 'document'
  union select 'guideline', e.id from sources s
    join memory.guideline_memory e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'persona', e.id from sources s
    join memory.persona_memory e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'toolbox', e.id from sources s
    join memory.toolbox_memory e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'entity', e.id from sources s
    join memory.entity_memory e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'workflow', e.id from sources s
    join memory.workflow_memory e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'summary', e.id from sources s
    join memory.summarization_memory e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'conversation', e.event_id from sources s
    join memory.conversation_memory e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'document', e.id from sources s
    join memory.knowledge_base_document e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'chunk', e.id from sources s
    join memory.knowledge_base_chunk e on e.tenant_id = p_tenant and e.source_event_id = s.id
  union select 'conversation', m.event_id from event e
    join memory.conversation_memory m on m.tenant_id = p_tenant and m.manifest_id = e.manifest_id
    where e.event_type in ('context_manifest', 'request', 'tool_result', 'retrieval') and m.event_type <> 'tombstone'
  union select 'conversation', m.event_id from event e
    join memory.conversation_memory m on m.tenant_id = p_tenant and m.run_id = e.run_id
      and (m.event_order > e.event_order
        or e.event_type = 'tool_result' and m.event_type = 'tool_call' and m.payload ->> 'call_id' = e.call_id)
    where e.event_type in ('context_manifest', 'request', 'tool_call', 'tool_result')
      and m.event_type not in ('user_msg', 'model_msg', 'tombstone')
  union select 'run', e.run_id from event e
    where e.event_type in ('context_manifest', 'request', 'tool_call', 'tool_result') and e.run_id is not null
$$;

-- Every table that erasure reaches, in the order of deletion, with how a row `e` hangs on an erased row `n`. `scoped`: it
-- also goes with its user or thread, as what was written while serving them of shared memory.
create function memory.erasure_tables()
returns table (place integer, name text, conditions text[], scoped boolean, has_history boolean)
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select t.place, t.name, t.conditions::text[], t.scoped, t.has_history
  from (values
    (1, 'memory_term', array['e.kind = n.type and e.id = n.id'], false, false),
    (2, 'memory_vector', array[$q$e.part in ('text', 'context') and e.kind = n.type and e.id = n.id$q$], false, false),
    (3, 'memory_sign', array[$q$e.part in ('text', 'context') and e.kind = n.type and e.id = n.id$q$], false, false),
    (4, 'memory_name', array['e.kind = n.type and e.id = n.id'], false, false),
    (5, 'token_count', array['e.kind = n.type and e.id = n.id'], true, false),
    (6, 'issued_memory', array['e.ref_type = n.type and e.ref_id = n.id', $q$n.type = 'run' and e.run_id = n.id$q$],
      false, false),
    (7, 'context_run', array[$q$n.type = 'run' and e.run_id = n.id$q$], false, false),
    (8, 'memory_link', array['e.source_type = n.type and e.source_id = n.id',
      'e.target_type = n.type and e.target_id = n.id'], true, true),
    (9, 'context_source_ref', array['e.derived_type = n.type and e.derived_id = n.id',
      'e.source_type = n.type and e.source_id = n.id'], true, true),
    (10, 'context_compression', array[$q$n.type = 'compression' and e.id = n.id$q$], false, true),
    (11, 'knowledge_base_chunk', array[$q$n.type = 'chunk' and e.id = n.id$q$], false, true),
    (12, 'knowledge_base_document', array[$q$n.type = 'document' and e.id = n.id$q$], false, true),
    (13, 'summarization_memory', array[$q$n.type = 'summary' and e.id = n.id$q$], false, true),
    (14, 'workflow_memory', array[$q$n.type = 'workflow' and e.id = n.id$q$], false, true),
    (15, 'entity_memory', array[$q$n.type = 'entity' and e.id = n.id$q$], false, true),
    (16, 'toolbox_memory', array[$q$n.type = 'toolbox' and e.id = n.id$q$], false, true),
    (17, 'persona_memory', array[$q$n.type = 'persona' and e.id = n.id$q$], false, true),
    (18, 'guideline_memory', array[$q$n.type = 'guideline' and e.id = n.id$q$], false, true),
    (19, 'conversation_memory',
      array[$q$n.type = 'conversation' and e.event_id = n.id and e.event_type <> 'tombstone'$q$], false, true),
    (20, 'thread', array[]::text[], true, false)
  ) as t (place, name, conditions, scoped, has_history)
$$;

-- The named rows and all that came of them.
create function memory.erasure_closure(p_tenant text, p_target jsonb, p_most integer, out types text[], out ids text[])
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  v_types text[];
  v_ids text[];
begin
  select array_agg(r.type), array_agg(r.id) into v_types, v_ids
    from memory.erasure_roots(p_tenant, p_target, p_most) r;
  types := coalesce(v_types, '{}');
  ids := coalesce(v_ids, '{}');
  while cardinality(v_types) > 0 loop
    select array_agg(s.type), array_agg(s.id) into v_types, v_ids
      from (
        select s.type, s.id from memory.erasure_step(p_tenant, v_types, v_ids) s
        except select u.type, u.id from unnest(types, ids) as u (type, id)
      ) s;
    types := types || v_types;
    ids := ids || v_ids;
  end loop;
end
$$;

-- What stays in the place of erased manifests, and of turns whose thread goes on: the id, what it was, and its place. It
-- is an event of its own, so that the erased id leads nowhere.
create function memory.erasure_tombstones(p_tenant text, p_target jsonb, p_types text[], p_ids text[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'user_id', case when not whole then c.user_id end,
      'agent_id', case when not whole then c.agent_id end,
      'thread_id', case when not whole then c.thread_id end,
      'run_id', case when not whole then c.run_id end,
      'payload', jsonb_strip_nulls(jsonb_build_object('erased_type', c.event_type, 'event_id', c.event_id,
        'manifest_id', c.manifest_id, 'turn_index', c.turn_index)))
    order by c.event_order), '[]')
  from unnest(p_types, p_ids) as n (type, id)
  join memory.conversation_memory c on c.tenant_id = p_tenant and c.event_id = n.id
  cross join lateral (
    select p_target ->> 'kind' in ('user', 'tenant') and memory.in_erased_scope(p_target, c.user_id, null, null) as whole
  ) owner
  where n.type = 'conversation' and (c.event_type = 'context_manifest'
    or c.event_type in ('user_msg', 'model_msg') and p_target ->> 'kind' <> 'expired'
      and not memory.in_erased_scope(p_target, c.user_id, c.agent_id, c.thread_id))
$$;

-- The index of a turn or passage holds words of the two before and after it: those that stay are indexed as if they stood
-- alone. Gives how many.
create function memory.forget_neighbours(p_tenant text, p_types text[], p_ids text[], p_dry_run boolean) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  v_kinds text[];
  v_ids text[];
begin
  with gone as materialized (
    select n.type, n.id from unnest(p_types, p_ids) as n (type, id) where n.type in ('conversation', 'chunk')
  ), thread as (
    select distinct c.user_id, c.agent_id, c.thread_id from gone g
    join memory.conversation_memory c on c.tenant_id = p_tenant and c.event_id = g.id
    where g.type = 'conversation' and c.turn_index is not null
  ), document as (
    select distinct c.document_id from gone g
    join memory.knowledge_base_chunk c on c.tenant_id = p_tenant and c.id = g.id where g.type = 'chunk'
  ), placed as (
    select 'conversation' as kind, c.event_id as id,
      to_jsonb(array[c.user_id, c.agent_id, c.thread_id]) as series, c.turn_index as place
    from thread t join memory.conversation_memory c on c.tenant_id = p_tenant and c.user_id = t.user_id
      and c.thread_id = t.thread_id and c.agent_id is not distinct from t.agent_id and c.turn_index is not null
    union all
    select 'chunk', c.id, to_jsonb(array[c.document_id]), c.chunk_index
    from document d join memory.knowledge_base_chunk c on c.tenant_id = p_tenant and c.document_id = d.document_id
  ), near as (
    select p.kind, p.id, g.id is not null as is_gone,
      bool_or(g.id is not null) over (partition by p.kind, p.series order by p.place
        rows between 2 preceding and 2 following) as is_near
    from placed p left join gone g on g.type = p.kind and g.id = p.id
  )
  select array_agg(n.kind), array_agg(n.id) into v_kinds, v_ids from near n
    where n.is_near and not n.is_gone and exists (
      select from memory.memory_term t where t.tenant_id = p_tenant and t.kind = n.kind and t.id = n.id);
  if p_dry_run or v_ids is null then
    return coalesce(cardinality(v_ids), 0);
  end if;
  update memory.memory_term t set terms = own.terms, frequencies = own.frequencies,
      lengths = array[t.lengths[1], t.lengths[2], t.lengths[3], 0]
    from unnest(v_kinds, v_ids) as n (kind, id)
    join memory.memory_term m on m.tenant_id = p_tenant and m.kind = n.kind and m.id = n.id
    cross join lateral (
      select array_to_tsvector(array_agg(w.lexeme)) as terms,
        array_agg(array[m.frequencies[w.place][1], m.frequencies[w.place][2], m.frequencies[w.place][3], 0]::smallint[]
          order by w.place) as frequencies
      from unnest(tsvector_to_array(m.terms)) with ordinality as w (lexeme, place)
      where w.lexeme = memory.tenant_lexeme(p_tenant)
        or m.frequencies[w.place][1] + m.frequencies[w.place][2] + m.frequencies[w.place][3] > 0
    ) own
    where t.tenant_id = p_tenant and t.kind = m.kind and t.id = m.id and t.version = m.version;
  -- Without neighbours the text of the context is the memory's own.
  update memory.memory_vector t set vector = own.vector
    from unnest(v_kinds, v_ids) as n (kind, id)
    join memory.memory_vector own on own.tenant_id = p_tenant and own.part = 'text' and own.kind = n.kind and own.id = n.id
    where t.tenant_id = p_tenant and t.part = 'context' and t.kind = own.kind and t.id = own.id
      and t.version = own.version;
  update memory.memory_sign t set bits = own.bits
    from unnest(v_kinds, v_ids) as n (kind, id)
    join memory.memory_sign own on own.tenant_id = p_tenant and own.part = 'text' and own.kind = n.kind and own.id = n.id
    where t.tenant_id = p_tenant and t.part = 'context' and t.kind = own.kind and t.id = own.id
      and t.version = own.version;
  -- A memory in whose own words nothing is known has a vector by its neighbours alone.
  delete from memory.memory_vector t using unnest(v_kinds, v_ids) as n (kind, id)
    where t.tenant_id = p_tenant and t.part = 'context' and t.kind = n.kind and t.id = n.id and not exists (
      select from memory.memory_vector own where own.tenant_id = p_tenant and own.part = 'text' and own.kind = t.kind
        and own.id = t.id and own.version = t.version);
  delete from memory.memory_sign t using unnest(v_kinds, v_ids) as n (kind, id)
    where t.tenant_id = p_tenant and t.part = 'context' and t.kind = n.kind and t.id = n.id and not exists (
      select from memory.memory_sign own where own.tenant_id = p_tenant and own.part = 'text' and own.kind = t.kind
        and own.id = t.id and own.version = t.version);
  return cardinality(v_ids);
end
$$;

-- Deletes the closure of a target, or only counts it. The caller holds the tenant's lock.
create function memory.erase_rows(p_tenant text, p_target jsonb, p_most integer, p_dry_run boolean) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  v_types text[];
  v_ids text[];
  v_stones jsonb;
  v_neighbours integer;
  v_table record;
  v_find text;
  v_found tid[];
  v_deleted bigint;
  v_counts jsonb := '{}';
  v_before bigint;
begin
  select c.types, c.ids into v_types, v_ids from memory.erasure_closure(p_tenant, p_target, p_most) c;
  v_stones := memory.erasure_tombstones(p_tenant, p_target, v_types, v_ids);
  v_neighbours := memory.forget_neighbours(p_tenant, v_types, v_ids, p_dry_run);
  for v_table in
    select t.place, t.name, t.conditions, t.scoped, false as is_history from memory.erasure_tables() t
    union all
    select t.place, t.name || '_history', t.conditions, t.scoped, true from memory.erasure_tables() t where t.has_history
    -- Deleting a row archives it: history goes after the rows.
    order by is_history, place
  loop
    select string_agg(part, ' union ') into v_find from (
      select format('select e.ctid from unnest($2, $3) as n (type, id) join memory.%I e on e.tenant_id = $1 and %s',
        v_table.name, condition) from unnest(v_table.conditions) as condition
      union all
      select format('select e.ctid from memory.%I e where e.tenant_id = $1
        and memory.in_erased_scope($4, e.user_id, e.agent_id, e.thread_id)', v_table.name)
        where v_table.scoped and p_target ->> 'kind' in ('user', 'thread', 'tenant')
    ) as parts (part);
    if v_find is null then
      v_counts := v_counts || jsonb_build_object(v_table.name, 0);
      continue;
    end if;
    execute format('select array(%s)', v_find) into v_found using p_tenant, v_types, v_ids, p_target;
    v_before := cardinality(v_found);
    if v_table.is_history and not p_dry_run and v_before > 0 then
      execute format('select count(*) from memory.%I where ctid = any ($1) and retired_xid <> pg_current_xact_id()',
        v_table.name) into v_before using v_found;
    end if;
    v_counts := v_counts || jsonb_build_object(v_table.name, v_before);
    if not p_dry_run and cardinality(v_found) > 0 then
      execute format('delete from memory.%I where ctid = any ($1) and tenant_id = $2', v_table.name)
        using v_found, p_tenant;
      get diagnostics v_deleted = row_count;
      if v_deleted <> cardinality(v_found) then
        raise exception 'rows changed while they were erased' using errcode = '40001';
      end if;
    end if;
  end loop;
  if not p_dry_run then
    insert into memory.conversation_memory (tenant_id, event_id, user_id, agent_id, thread_id, run_id, event_type, role,
      payload, created_at, written_by, trust)
    select p_tenant, 'tombstone_' || replace(gen_random_uuid()::text, '-', ''), s.user_id, s.agent_id, s.thread_id,
      s.run_id, 'tombstone', 'system', s.payload, clock_timestamp(), 'erasure', 'derived'
    from jsonb_to_recordset(v_stones) as s (user_id text, agent_id text, thread_id text, run_id text, payload jsonb);
  end if;
  return jsonb_build_object('tables', v_counts, 'tombstones', jsonb_array_length(v_stones),
    'neighbours', v_neighbours);
end
$$;

-- Earlier tombstones of a user that is erased as a whole: their owner is forgotten too.
create function memory.forget_owner(p_tenant text, p_target jsonb, p_dry_run boolean) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids text[];
begin
  if p_target ->> 'kind' not in ('user', 'tenant') then
    return 0;
  end if;
  v_ids := array(select c.event_id from memory.conversation_memory c
    where c.tenant_id = p_tenant and c.event_type = 'tombstone' and c.user_id is not null
      and memory.in_erased_scope(p_target, c.user_id, null, null));
  if not p_dry_run and cardinality(v_ids) > 0 then
    update memory.conversation_memory set user_id = null, agent_id = null, thread_id = null, run_id = null
      where tenant_id = p_tenant and event_id = any (v_ids);
    delete from memory.conversation_memory_history where tenant_id = p_tenant and event_id = any (v_ids);
  end if;
  return cardinality(v_ids);
end
$$;

-- Erases a target of the operator's own tenant, or counts what would go. What was erased is recorded without content; an
-- erasure that finds nothing leaves no record.
create function memory.erase(p_target jsonb, p_dry_run boolean) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant text := nullif(current_setting('memory.tenant_id', true), '');
  v_report jsonb;
  v_owners integer;
begin
  -- The role that was set, not the owner that this function runs as.
  if v_tenant is null or current_setting('role') <> 'mem_operator' or p_target ->> 'kind' = 'expired' then
    raise exception 'only an operator may erase' using errcode = '42501';
  end if;
  if p_dry_run then
    perform pg_advisory_xact_lock_shared(memory.tenant_lock(v_tenant));
  else
    perform pg_advisory_xact_lock(memory.tenant_lock(v_tenant));
  end if;
  v_owners := memory.forget_owner(v_tenant, p_target, p_dry_run);
  v_report := memory.erase_rows(v_tenant, p_target, null, p_dry_run);
  if not p_dry_run and (v_owners > 0
      or exists (select from jsonb_each_text(v_report -> 'tables') t where t.value <> '0')) then
    insert into memory.deletion_events (tenant_id, id, user_id, agent_id, thread_id, deletion_scope, reason, deleted_at)
    values (v_tenant, 'deletion_' || replace(gen_random_uuid()::text, '-', ''), p_target ->> 'user_id',
      p_target ->> 'agent_id', p_target ->> 'thread_id', p_target ->> 'kind', 'erasure', clock_timestamp());
  end if;
  return v_report || jsonb_build_object('owners_forgotten', v_owners);
end
$$;

-- Prunes a tenant's history as its policy says, and records how far back it reaches now. Without marks that are old
-- enough nothing can be said to be old: a first pruning comes that many days after the first run.
create function memory.prune_history(p_tenant text, p_policy jsonb, p_dry_run boolean) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  v_days integer := case jsonb_typeof(p_policy -> 'history_days') when 'number'
    then (p_policy -> 'history_days')::integer end;
  v_now xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_horizon xid8;
  v_name text;
  v_rows bigint;
  v_counts jsonb := '{}';
begin
  if not p_dry_run then
    insert into memory.history_mark (tenant_id, xid, marked_at) values (p_tenant, v_now, clock_timestamp());
  end if;
  v_horizon := case when v_days = 0 then v_now else (
    select m.xid from memory.history_mark m
    where m.tenant_id = p_tenant and m.marked_at <= clock_timestamp() - make_interval(days => v_days)
    order by m.marked_at desc limit 1) end;
  if v_horizon is null then
    return v_counts;
  end if;
  for v_name in select t.name || '_history' from memory.erasure_tables() t where t.has_history loop
    if p_dry_run then
      execute format('select count(*) from memory.%I where tenant_id = $1 and retired_xid < $2', v_name)
        into v_rows using p_tenant, v_horizon;
    else
      execute format('delete from memory.%I where tenant_id = $1 and retired_xid < $2', v_name)
        using p_tenant, v_horizon;
      get diagnostics v_rows = row_count;
    end if;
    v_counts := v_counts || jsonb_build_object(v_name, v_rows);
  end loop;
  if not p_dry_run then
    insert into memory.history_horizon (tenant_id, horizon, pruned_at) values (p_tenant, v_horizon, clock_timestamp())
    on conflict (tenant_id) do update set horizon = excluded.horizon, pruned_at = excluded.pruned_at
      where history_horizon.horizon < excluded.horizon;
    delete from memory.history_mark where tenant_id = p_tenant and xid < v_horizon;
  end if;
  return v_counts;
end
$$;

-- The retention policy of a tenant that counts now, or NULL: everything is kept.
create function memory.retention_policy(p_tenant text) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select g.guideline_value from memory.guideline_memory g
  where g.tenant_id = p_tenant and g.guideline_key = 'context_retention' and g.user_id is null and g.agent_id is null
    and g.thread_id is null and g.deleted_at is null and g.quarantined_at is null
    and g.valid_from <= clock_timestamp() and (g.valid_until is null or g.valid_until > clock_timestamp())
  order by g.version desc, g.id limit 1
$$;

-- One step of retention: up to p_most expired events with all that came of them; when no more are left, history. The
-- caller holds the tenant's lock.
create function memory.expire_rows(p_tenant text, p_most integer, p_dry_run boolean) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  v_policy jsonb := memory.retention_policy(p_tenant);
  v_report jsonb;
  v_more boolean;
  v_pruned jsonb;
begin
  if v_policy is null then
    return null;
  end if;
  v_report := memory.erase_rows(p_tenant, jsonb_build_object('kind', 'expired', 'policy', v_policy), p_most, p_dry_run);
  v_more := not p_dry_run and (v_report #>> '{tables,conversation_memory}')::bigint >= p_most;
  if not p_dry_run and (v_report #>> '{tables,conversation_memory}')::bigint > 0 then
    insert into memory.deletion_events (tenant_id, id, deletion_scope, reason, deleted_at)
    values (p_tenant, 'deletion_' || replace(gen_random_uuid()::text, '-', ''), 'expired', 'retention',
      clock_timestamp());
  end if;
  v_pruned := case when v_more then '{}' else memory.prune_history(p_tenant, v_policy, p_dry_run) end;
  return v_report || jsonb_build_object('pruned', v_pruned, 'more', v_more);
end
$$;

-- Retention of the operator's own tenant; NULL without a policy.
create function memory.retain(p_most integer, p_dry_run boolean) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant text := nullif(current_setting('memory.tenant_id', true), '');
begin
  if v_tenant is null or current_setting('role') <> 'mem_operator' then
    raise exception 'only an operator may ask for retention' using errcode = '42501';
  end if;
  if p_dry_run then
    perform pg_advisory_xact_lock_shared(memory.tenant_lock(v_tenant));
  else
    perform pg_advisory_xact_lock(memory.tenant_lock(v_tenant));
  end if;
  return memory.expire_rows(v_tenant, case when p_dry_run then null else p_most end, p_dry_run);
end
$$;

-- Retention of one tenant that is due, whichever: for a server process that never acts as operator. It is told nothing
-- but how often, does only what an operator's policy says, and tells only numbers. NULL: none is due, or another process
-- is at it.
create function memory.retain_next(p_seconds double precision, p_most integer) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant text;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('memory.retain_next', 11)) then
    return null;
  end if;
  select g.tenant_id into v_tenant from memory.guideline_memory g
    where g.guideline_key = 'context_retention' and g.valid_until is null
      and memory.retention_policy(g.tenant_id) is not null
      and not exists (select from memory.history_mark m where m.tenant_id = g.tenant_id
        and m.marked_at > clock_timestamp() - make_interval(secs => p_seconds))
    -- In no order: a tenant that cannot be done must not keep the others from their turn.
    order by random() limit 1;
  if v_tenant is null then
    return null;
  end if;
  perform pg_advisory_xact_lock(memory.tenant_lock(v_tenant));
  return memory.expire_rows(v_tenant, p_most, false);
end
$$;

grant execute on function memory.erase, memory.retain to mem_operator;
grant execute on function memory.retain_next to mem_app;
