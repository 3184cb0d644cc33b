-- What is derived is made anew while searches go on with what stands: vectors of several embedders stand side by side,
-- and each indexed text says which analysis of text it was made by.

set local role mem_owner;

-- Without their modifier neither column is written anew: how many dimensions there are depends on the embedder. A vector
-- that is null stands for a text in which its embedder knows nothing, so that it can be told from one that is missing.
alter table memory.memory_vector alter column vector type vector, alter column vector drop not null;
alter table memory.memory_sign alter column bits type bit varying;

do $$
begin
  execute format('alter table memory.memory_sign add column embedder text collate "C" not null default %L',
    coalesce((select value from memory.store_setting where name = 'embedder_id'), ''));
end
$$;
alter table memory.memory_sign alter column embedder drop default;

-- The embedder stands last in the keys, so that all vectors of a memory are found by its ref.
alter table memory.memory_vector drop constraint memory_vector_pkey,
  add primary key (tenant_id, part, kind, id, version, embedder);
alter table memory.memory_sign drop constraint memory_sign_pkey,
  add primary key (tenant_id, part, kind, id, version, embedder);
drop index memory.memory_vector_owner, memory.memory_sign_owner;
create index memory_vector_owner on memory.memory_vector (tenant_id, embedder, part, user_id);
create index memory_sign_owner on memory.memory_sign (tenant_id, embedder, part, user_id);

-- By which analysis the rows were made that are there already, nobody knows any more.
alter table memory.memory_term add column analysis integer not null default 0;
alter table memory.memory_term alter column analysis drop default;

-- Token counts are dropped and made anew with the rest.
grant delete on memory.token_count to mem_operator;

-- As before (010), but with vectors of more than one embedder.
create or replace function memory.forget_neighbours(p_tenant text, p_types text[], p_ids text[], p_dry_run boolean) returns integer
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
  -- Without neighbours the text of the context is the memory's own, for each embedder.
  update memory.memory_vector t set vector = own.vector
    from unnest(v_kinds, v_ids) as n (kind, id)
    join memory.memory_vector own on own.tenant_id = p_tenant and own.part = 'text' and own.kind = n.kind and own.id = n.id
    where t.tenant_id = p_tenant and t.part = 'context' and t.kind = own.kind and t.id = own.id
      and t.version = own.version and t.embedder = own.embedder and own.vector is not null;
  update memory.memory_sign t set bits = own.bits
    from unnest(v_kinds, v_ids) as n (kind, id)
    join memory.memory_sign own on own.tenant_id = p_tenant and own.part = 'text' and own.kind = n.kind and own.id = n.id
    where t.tenant_id = p_tenant and t.part = 'context' and t.kind = own.kind and t.id = own.id
      and t.version = own.version and t.embedder = own.embedder;
  -- A memory in whose own words nothing is known has a vector by its neighbours alone.
  delete from memory.memory_vector t using unnest(v_kinds, v_ids) as n (kind, id)
    where t.tenant_id = p_tenant and t.part = 'context' and t.kind = n.kind and t.id = n.id and not exists (
      select from memory.memory_vector own where own.tenant_id = p_tenant and own.part = 'text' and own.kind = t.kind
        and own.id = t.id and own.version = t.version and own.embedder = t.embedder and own.vector is not null);
  delete from memory.memory_sign t using unnest(v_kinds, v_ids) as n (kind, id)
    where t.tenant_id = p_tenant and t.part = 'context' and t.kind = n.kind and t.id = n.id and not exists (
      select from memory.memory_sign own where own.tenant_id = p_tenant and own.part = 'text' and own.kind = t.kind
        and own.id = t.id and own.version = t.version and own.embedder = t.embedder);
  return cardinality(v_ids);
end
$$;

create function memory.embedder_lock() returns bigint
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$ select hashtextextended('memory.embedder', 12) $$;

-- Whose vectors a write must bring. Held until the transaction ends, so that a write is done before the embedder changes,
-- or sees that it has: each statement of this function looks anew.
create function memory.hold_embedder() returns table (embedder_id text, embedder_dimensions integer)
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(memory.embedder_lock());
  return query select
    (select s.value from memory.store_setting s where s.name = 'embedder_id'),
    (select s.value::integer from memory.store_setting s where s.name = 'embedder_dimensions');
end
$$;

-- Makes another embedder the store's, if every memory of every tenant has been embedded by it, and tells whether it is.
-- Definer, because no operator sees all tenants; it takes no tenant, and tells of no tenant, no row and no count.
create function memory.switch_embedder(p_embedder text, p_dimensions integer) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- The role that was set, not the owner that this function runs as.
  if memory.current_tenant() is null or current_setting('role') <> 'mem_operator' then
    raise exception 'only an operator may change the embedder' using errcode = '42501';
  end if;
  perform pg_advisory_xact_lock(memory.embedder_lock());
  if exists (
    select from memory.indexable i where not exists (
      select from memory.memory_vector v
      where v.tenant_id = i.tenant_id and v.part = 'text' and v.kind = i.kind and v.id = i.id
        and v.version = i.version and v.embedder = p_embedder))
    or exists (
      select from memory.memory_sign s where s.embedder = p_embedder and length(s.bits) <> p_dimensions)
  then
    return false;
  end if;
  update memory.store_setting set value = p_embedder where name = 'embedder_id';
  update memory.store_setting set value = p_dimensions::text where name = 'embedder_dimensions';
  return true;
end
$$;

-- Locks memories whose index rows are made anew, against those who write index rows for them: these hold them shared. The
-- same order as in memory.lock_sources, and nothing that the operator cannot see.
create function memory.lock_rebuilt(p_refs jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant text := memory.current_tenant();
begin
  if v_tenant is null or current_setting('role') <> 'mem_operator' then
    raise exception 'only an operator may rebuild' using errcode = '42501';
  end if;
  perform from memory.knowledge_base_document d
    where d.tenant_id = v_tenant and d.id in (
      select c.document_id from memory.knowledge_base_chunk c
      join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'chunk' and r.id = c.id
      where c.tenant_id = v_tenant)
    order by d.id for no key update of d;
  perform from memory.knowledge_base_chunk c
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'chunk' and r.id = c.id
    where c.tenant_id = v_tenant order by c.id for no key update of c;
  perform from memory.conversation_memory c
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'conversation' and r.id = c.event_id
    where c.tenant_id = v_tenant order by c.event_id for no key update of c;
  perform from memory.entity_memory e
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'entity' and r.id = e.id
    where e.tenant_id = v_tenant order by e.id for no key update of e;
  perform from memory.summarization_memory s
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'summary' and r.id = s.id
    where s.tenant_id = v_tenant order by s.id for no key update of s;
  perform from memory.workflow_memory w
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'workflow' and r.id = w.id
    where w.tenant_id = v_tenant order by w.id for no key update of w;
end
$$;

grant execute on function memory.embedder_lock, memory.hold_embedder to mem_app, mem_operator;
grant execute on function memory.switch_embedder, memory.lock_rebuilt to mem_operator;
