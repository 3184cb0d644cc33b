-- Reads as of a recorded snapshot: the rows that were visible then, whatever became of them since. No clock is asked.
-- What a snapshot saw of a table is its rows and its history whose writer was visible and whose retirer was not.

set local role mem_owner;

-- Makes TABLE_as_of(snapshot) for every canonical table, with the columns that the table has now. A later migration
-- that adds a column to one of them calls it again. The functions are plain SQL and run as their caller: they are
-- unfolded into the statement that uses them, so row security holds for rows and history alike, and both primary keys
-- serve a read by id. `retired` is null for what still stands.
create function memory.define_past_reads() returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  base text;
  names text;
begin
  for base in
    select c.relname from pg_class c join pg_trigger t on t.tgrelid = c.oid and t.tgname = 'archive_version'
    where c.relnamespace = 'memory'::regnamespace order by 1
  loop
    select string_agg(format('v.%I', a.attname), ', ' order by a.attnum) into names
      from pg_attribute a
      where a.attrelid = format('memory.%I', base)::regclass and a.attnum > 0 and not a.attisdropped;
    execute format($function$
      create or replace function memory.%1$I(p_at pg_snapshot) returns setof memory.%2$I
      language sql stable rows 1000
      as $body$
        select %3$s
        from (
          select null::xid8 as retired, b.* from memory.%2$I b
          union all
          select h.* from memory.%4$I h
        ) v
        where pg_visible_in_snapshot(v.xid, p_at)
          and (v.retired is null or not pg_visible_in_snapshot(v.retired, p_at))
      $body$
    $function$, base || '_as_of', base, names, base || '_history');
    execute format('grant execute on function memory.%I to mem_app, mem_operator', base || '_as_of');
  end loop;
end
$$;

select memory.define_past_reads();

-- What known_version said at the snapshot.
create function memory.known_version_as_of(p_at pg_snapshot) returns setof memory.known_version
language sql stable rows 1000
as $$
  select tenant_id, 'guideline'::text collate "C", id, version, user_id, agent_id, thread_id,
    valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.guideline_memory_as_of(p_at)
  union all
  select tenant_id, 'persona'::text collate "C", id, 1, user_id, agent_id, thread_id,
    valid_from, valid_until, created_at, deleted_at, null::text collate "C", quarantined_at,
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.persona_memory_as_of(p_at)
  union all
  select tenant_id, 'toolbox'::text collate "C", id, version, user_id, agent_id, null::text collate "C",
    valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.toolbox_memory_as_of(p_at)
  union all
  select tenant_id, 'entity'::text collate "C", id, version, user_id, agent_id, thread_id,
    valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
    subject, predicate, content_json -> 'conditions'
  from memory.entity_memory_as_of(p_at)
  union all
  select tenant_id, 'workflow'::text collate "C", id, version, user_id, agent_id, null::text collate "C",
    valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.workflow_memory_as_of(p_at)
  union all
  select tenant_id, 'summary'::text collate "C", id, 1, user_id, agent_id, thread_id,
    valid_from, valid_until, created_at, deleted_at, null::text collate "C", quarantined_at,
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.summarization_memory_as_of(p_at)
  union all
  select tenant_id, 'conversation'::text collate "C", event_id, 1, user_id, agent_id, thread_id,
    created_at, null::timestamptz, created_at, deleted_at, null::text collate "C", quarantined_at,
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.conversation_memory_as_of(p_at)
  union all
  select tenant_id, 'document'::text collate "C", id, version, user_id, agent_id, null::text collate "C",
    valid_from, valid_until, created_at, deleted_at, superseded_by, quarantined_at,
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.knowledge_base_document_as_of(p_at)
  union all
  select c.tenant_id, 'chunk'::text collate "C", c.id, 1, c.user_id, c.agent_id, null::text collate "C",
    d.valid_from, d.valid_until, c.created_at, coalesce(c.deleted_at, d.deleted_at), d.superseded_by,
    coalesce(c.quarantined_at, d.quarantined_at),
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.knowledge_base_chunk_as_of(p_at) c
  join memory.knowledge_base_document_as_of(p_at) d on d.tenant_id = c.tenant_id and d.id = c.document_id
  union all
  select tenant_id, 'compression'::text collate "C", id, 1, user_id, agent_id, thread_id,
    created_at, null::timestamptz, created_at, null::timestamptz, null::text collate "C", null::timestamptz,
    null::text collate "C", null::text collate "C", null::jsonb
  from memory.context_compression_as_of(p_at)
$$;
grant execute on function memory.known_version_as_of to mem_app, mem_operator;

-- The refs of a manifest that no living row of the tenant has any more, whoever could see it: an end user cannot tell a
-- row that is gone from one that is now somebody else's. Definer for that, and narrow: it speaks of refs that stand in a
-- manifest of the caller's own (an operator's: of the tenant), and of nothing else.
create function memory.gone_refs(p_manifest text) returns table (type text, id text, version integer)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with own as (
    select m.payload -> 'manifest' as manifest from memory.conversation_memory m
    where m.tenant_id = nullif(current_setting('memory.tenant_id', true), '')
      and m.manifest_id = p_manifest and m.event_type = 'context_manifest'
      -- The role that was set, not the owner that this function runs as.
      and (current_setting('role') = 'mem_operator'
        or m.user_id = nullif(current_setting('memory.user_id', true), '')
          and m.agent_id is not distinct from nullif(current_setting('memory.agent_id', true), ''))
  ),
  named as (
    select distinct part.ref ->> 0 as type, part.ref ->> 1 as id, (part.ref ->> 2)::integer as version
    from own
    cross join lateral (
      select item -> 'ref' as ref
      from jsonb_array_elements((own.manifest -> 'dependencies') || (own.manifest -> 'memories')
        || (own.manifest -> 'excluded')) as item
      union all
      select ref from (values (own.manifest -> 'budget_ref'), (own.manifest -> 'retrieval_ref')) as policy (ref)
    ) part
    where jsonb_typeof(part.ref) = 'array'
  )
  select n.type, n.id, n.version
  from named n
  left join lateral (
    select true as stands from memory.known_version k
    where k.tenant_id = nullif(current_setting('memory.tenant_id', true), '') and k.type = n.type and k.id = n.id
      and k.deleted_at is null
    limit 1
  ) k on true
  where k.stands is null
$$;
grant execute on function memory.gone_refs to mem_app, mem_operator;

-- Links as of a snapshot are read from either end; a citation id is looked up without its run; what a row replaced is
-- found by the row that replaced it.
create index memory_link_history_target on memory.memory_link_history (tenant_id, target_type, target_id, target_version);
create index issued_memory_citation on memory.issued_memory (tenant_id, citation_id);
create index entity_memory_replaced on memory.entity_memory (tenant_id, superseded_by) where superseded_by is not null;
create index knowledge_base_document_replaced on memory.knowledge_base_document (tenant_id, superseded_by)
  where superseded_by is not null;
