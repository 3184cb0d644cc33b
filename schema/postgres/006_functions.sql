-- The narrow definer functions: row security would hide the full-text index and the shared rows that a write must
-- lock. Each takes tenant and user from the trusted settings alone, repeats the scope predicate, and returns ids,
-- scores and counts; rows are then read by key under row security.

set local role mem_owner;

-- One lexeme as the text of a query: no character of it can be query syntax.
create function memory.quoted_lexeme(p_term text) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$ select '''' || replace(replace(p_term, '\', '\\'), '''', '''''') || '''' $$;

-- The lexeme that names a tenant: terms of text never hold a control character.
create function memory.tenant_lexeme(p_tenant text) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$ select chr(1) || p_tenant $$;

create function memory.term_query(p_tenant text, p_term text) returns tsquery
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select (memory.quoted_lexeme(memory.tenant_lexeme(p_tenant)) || ' & ' || memory.quoted_lexeme(p_term))::tsquery
$$;

-- Rows of the kinds that the caller can find at a time, their average lengths, and for each term (in the order given)
-- how many of them hold it, counted up to p_most.
create function memory.lexical_statistics(
  p_terms text[], p_kinds text[], p_agent text, p_thread text, p_at timestamptz, p_most integer
) returns table (documents bigint, average_lengths double precision[], frequencies bigint[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant text := nullif(current_setting('memory.tenant_id', true), '');
  v_user text := nullif(current_setting('memory.user_id', true), '');
begin
  if v_tenant is null or v_user is null then
    return query select 0::bigint, array[0, 0, 0, 0]::double precision[], array_fill(0::bigint, array[cardinality(p_terms)]);
    return;
  end if;
  select count(*), array[coalesce(avg(m.lengths[1]), 0), coalesce(avg(m.lengths[2]), 0),
      coalesce(avg(m.lengths[3]), 0), coalesce(avg(m.lengths[4]), 0)]::double precision[]
    into documents, average_lengths
    from memory.memory_term m
    where m.tenant_id = v_tenant and m.kind = any (p_kinds)
      and (m.user_id = v_user or m.user_id is null and m.kind <> 'conversation')
      and (m.agent_id is null or m.agent_id = p_agent)
      and (m.thread_id is null or m.thread_id = p_thread or m.kind in ('conversation', 'summary') and m.user_id = v_user)
      and not m.quarantined and m.valid_from <= p_at and (m.valid_until is null or m.valid_until > p_at);
  frequencies := array(
    select (
      select count(*) from (
        select from memory.memory_term m
        where m.terms @@ memory.term_query(v_tenant, t.term)
          and m.tenant_id = v_tenant and m.kind = any (p_kinds)
          and (m.user_id = v_user or m.user_id is null and m.kind <> 'conversation')
          and (m.agent_id is null or m.agent_id = p_agent)
          and (m.thread_id is null or m.thread_id = p_thread or m.kind in ('conversation', 'summary') and m.user_id = v_user)
          and not m.quarantined and m.valid_from <= p_at and (m.valid_until is null or m.valid_until > p_at)
        limit p_most
      ) found
    )
    from unnest(p_terms) with ordinality as t (term, position) order by t.position);
  return next;
end
$$;

-- The best rows by the summed weights of the terms they hold. Weights are whole numbers, so that a sum has no order.
create function memory.lexical_candidates(
  p_terms text[], p_weights bigint[], p_kinds text[], p_collections text[], p_exclude jsonb, p_agent text,
  p_thread text, p_at timestamptz, p_limit integer
) returns table (kind text, id text, version integer, score bigint)
language plpgsql stable security definer rows 200 set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant text := nullif(current_setting('memory.tenant_id', true), '');
  v_user text := nullif(current_setting('memory.user_id', true), '');
begin
  if v_tenant is null or v_user is null then
    return;
  end if;
  return query
    select f.kind, f.id, f.version, sum(t.weight)::bigint as total
    from unnest(p_terms, p_weights) as t (term, weight)
    cross join lateral (
      select m.kind, m.id, m.version from memory.memory_term m
      where m.terms @@ memory.term_query(v_tenant, t.term)
        and m.tenant_id = v_tenant and m.kind = any (p_kinds)
        and (m.user_id = v_user or m.user_id is null and m.kind <> 'conversation')
        and (m.agent_id is null or m.agent_id = p_agent)
        and (m.thread_id is null or m.thread_id = p_thread or m.kind in ('conversation', 'summary') and m.user_id = v_user)
        and (p_collections is null or m.kind <> 'chunk' or m.collection = any (p_collections))
        and not m.quarantined and m.valid_from <= p_at and (m.valid_until is null or m.valid_until > p_at)
    ) f
    where not exists (
      select from jsonb_to_recordset(p_exclude) as x (type text, id text, version integer)
      where x.type = f.kind and x.id = f.id and x.version = f.version)
    group by f.kind, f.id, f.version
    order by total desc, f.kind, f.id, f.version
    limit p_limit;
end
$$;

-- Locks the sources of derived rows until the transaction ends, kind by kind in order of ids; locks nothing that the
-- caller cannot see. An end user cannot lock a shared row otherwise, and an erasure must not slip in between.
create function memory.lock_sources(p_refs jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant text := nullif(current_setting('memory.tenant_id', true), '');
  v_user text := nullif(current_setting('memory.user_id', true), '');
  -- The role that was set, not the owner that this function runs as.
  v_operator boolean := current_setting('role') = 'mem_operator';
begin
  perform from memory.knowledge_base_document d
    where d.tenant_id = v_tenant and (v_operator or d.user_id = v_user or d.user_id is null and v_user is not null)
      and d.id in (
        select c.document_id from memory.knowledge_base_chunk c
        join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'chunk' and r.id = c.id
        where c.tenant_id = v_tenant)
    order by d.id for share of d;
  perform from memory.knowledge_base_chunk c
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'chunk' and r.id = c.id
    where c.tenant_id = v_tenant and (v_operator or c.user_id = v_user or c.user_id is null and v_user is not null)
    order by c.id for share of c;
  perform from memory.conversation_memory c
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'conversation' and r.id = c.event_id
    where c.tenant_id = v_tenant and (v_operator or c.user_id = v_user or c.user_id is null and v_user is not null)
    order by c.event_id for share of c;
  perform from memory.entity_memory e
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'entity' and r.id = e.id
    where e.tenant_id = v_tenant and (v_operator or e.user_id = v_user or e.user_id is null and v_user is not null)
    order by e.id for share of e;
  perform from memory.summarization_memory s
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'summary' and r.id = s.id
    where s.tenant_id = v_tenant and (v_operator or s.user_id = v_user or s.user_id is null and v_user is not null)
    order by s.id for share of s;
  perform from memory.workflow_memory w
    join jsonb_to_recordset(p_refs) as r (type text, id text) on r.type = 'workflow' and r.id = w.id
    where w.tenant_id = v_tenant and (v_operator or w.user_id = v_user or w.user_id is null and v_user is not null)
    order by w.id for share of w;
end
$$;

-- The trusted context as the statements use it. These run as their caller.
create function memory.current_tenant() returns text language sql stable parallel safe
  return nullif(current_setting('memory.tenant_id', true), '');
create function memory.context_user() returns text language sql stable parallel safe
  return nullif(current_setting('memory.user_id', true), '');

grant execute on function memory.quoted_lexeme, memory.tenant_lexeme, memory.term_query, memory.lexical_statistics,
  memory.lexical_candidates, memory.lock_sources, memory.current_tenant, memory.context_user
  to mem_app, mem_operator;
