-- Searches of a large tenant read a bounded part of it: what is frequent is counted in a sample, and what a search does
-- not filter by is not analysed for the planner.

set local role mem_owner;

-- A sixteenth of the rows by the first digit of what they say, which is the same on every engine and in every run.
create index memory_term_sample on memory.memory_term using gin (terms) with (fastupdate = off)
  where content_hash < '1';

-- The planner learns nothing from values that stand for themselves, and reading them to gather statistics takes seconds.
alter table memory.memory_term
  alter column terms set statistics 0, alter column frequencies set statistics 0, alter column lengths set statistics 0;
alter table memory.memory_vector alter column vector set statistics 0;
alter table memory.memory_sign alter column bits set statistics 0;

-- As before (006) for a caller who can find few rows: all of them are counted. Above v_most, rows and average lengths
-- are those of the sample, times sixteen, and a term is counted as far as v_counted; of a more frequent one the sample
-- says how many hold it. No count leaves the caller's scope, and none passes p_most.
create or replace function memory.lexical_statistics(
  p_terms text[], p_kinds text[], p_agent text, p_thread text, p_at timestamptz, p_most integer
) returns table (documents bigint, average_lengths double precision[], frequencies bigint[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant text := nullif(current_setting('memory.tenant_id', true), '');
  v_user text := nullif(current_setting('memory.user_id', true), '');
  v_most constant integer := 5000;
  v_counted integer := 1000;
begin
  if v_tenant is null or v_user is null then
    return query select 0::bigint, array[0, 0, 0, 0]::double precision[], array_fill(0::bigint, array[cardinality(p_terms)]);
    return;
  end if;
  select 16 * count(*), array[coalesce(avg(m.lengths[1]), 0), coalesce(avg(m.lengths[2]), 0),
      coalesce(avg(m.lengths[3]), 0), coalesce(avg(m.lengths[4]), 0)]::double precision[]
    into documents, average_lengths
    from memory.memory_term m
    where m.terms @@ memory.quoted_lexeme(memory.tenant_lexeme(v_tenant))::tsquery and m.content_hash < '1'
      and m.tenant_id = v_tenant and m.kind = any (p_kinds)
      and (m.user_id = v_user or m.user_id is null and m.kind <> 'conversation')
      and (m.agent_id is null or m.agent_id = p_agent)
      and (m.thread_id is null or m.thread_id = p_thread or m.kind in ('conversation', 'summary') and m.user_id = v_user)
      and not m.quarantined and m.valid_from <= p_at and (m.valid_until is null or m.valid_until > p_at);
  if documents <= v_most then
    v_counted := p_most;
    select count(*), array[coalesce(avg(m.lengths[1]), 0), coalesce(avg(m.lengths[2]), 0),
        coalesce(avg(m.lengths[3]), 0), coalesce(avg(m.lengths[4]), 0)]::double precision[]
      into documents, average_lengths
      from memory.memory_term m
      where m.tenant_id = v_tenant and m.kind = any (p_kinds)
        and (m.user_id = v_user or m.user_id is null and m.kind <> 'conversation')
        and (m.agent_id is null or m.agent_id = p_agent)
        and (m.thread_id is null or m.thread_id = p_thread or m.kind in ('conversation', 'summary') and m.user_id = v_user)
        and not m.quarantined and m.valid_from <= p_at and (m.valid_until is null or m.valid_until > p_at);
  end if;
  frequencies := array(
    select case when counted.rows < v_counted then counted.rows else least(p_most, greatest(counted.rows, (
      select 16 * count(*) from memory.memory_term m
      where m.terms @@ memory.term_query(v_tenant, t.term) and m.content_hash < '1'
        and m.tenant_id = v_tenant and m.kind = any (p_kinds)
        and (m.user_id = v_user or m.user_id is null and m.kind <> 'conversation')
        and (m.agent_id is null or m.agent_id = p_agent)
        and (m.thread_id is null or m.thread_id = p_thread or m.kind in ('conversation', 'summary') and m.user_id = v_user)
        and not m.quarantined and m.valid_from <= p_at and (m.valid_until is null or m.valid_until > p_at)))) end
    from unnest(p_terms) with ordinality as t (term, position)
    cross join lateral (
      select count(*) as rows from (
        select from memory.memory_term m
        where m.terms @@ memory.term_query(v_tenant, t.term)
          and m.tenant_id = v_tenant and m.kind = any (p_kinds)
          and (m.user_id = v_user or m.user_id is null and m.kind <> 'conversation')
          and (m.agent_id is null or m.agent_id = p_agent)
          and (m.thread_id is null or m.thread_id = p_thread or m.kind in ('conversation', 'summary') and m.user_id = v_user)
          and not m.quarantined and m.valid_from <= p_at and (m.valid_until is null or m.valid_until > p_at)
        limit v_counted
      ) found
    ) counted
    order by t.position);
  return next;
end
$$;

-- Looks at one version, as its caller. Functions, because a plan of the view takes longer to make than to carry out:
-- here it is kept for the connection.
create function memory.can_see(p_type text, p_id text, p_version integer) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from memory.known_version v
    where v.tenant_id = memory.current_tenant() and v.type = p_type and v.id = p_id and v.version = p_version);
end
$$;

create function memory.owner_of(p_type text, p_id text, p_version integer) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select v.user_id from memory.known_version v
    where v.tenant_id = memory.current_tenant() and v.type = p_type and v.id = p_id and v.version = p_version);
end
$$;

grant execute on function memory.can_see, memory.owner_of to mem_app, mem_operator;

-- A directory that was filled before has no statistics, and plans without them read whole tables.
analyze memory.memory_term, memory.memory_vector, memory.memory_sign, memory.memory_name, memory.token_count,
  memory.knowledge_base_document, memory.knowledge_base_chunk, memory.conversation_memory, memory.entity_memory,
  memory.context_source_ref, memory.memory_link, memory.context_compression;
