-- Who may see and do what. Default deny; never FORCE, because the definer functions of 006 run as the owner.
-- A setting that an earlier transaction set locally reads as the empty string, not as NULL: hence nullif.

set local role mem_owner;

do $$
declare
  name text;
  tenant constant text := $q$tenant_id = (select nullif(current_setting('memory.tenant_id', true), ''))$q$;
  -- An end user's context always has a user: with a tenant alone nothing is visible.
  reader constant text := $q$(select nullif(current_setting('memory.user_id', true), '')) is not null
    and (user_id is null or user_id = (select nullif(current_setting('memory.user_id', true), '')))$q$;
  own constant text := $q$user_id = (select nullif(current_setting('memory.user_id', true), ''))$q$;
begin
  for name in
    select c.relname from pg_catalog.pg_class c
    where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p')
  loop
    execute format('alter table memory.%I enable row level security', name);
    if name in ('schema_version', 'store_setting') then
      execute format('create policy everyone_reads on memory.%I for select to mem_app, mem_operator using (true)', name);
      execute format('grant select on memory.%I to mem_app, mem_operator', name);
    else
      execute format('create policy app_reads on memory.%I for select to mem_app using (%s and %s)',
        name, tenant, reader);
      execute format('create policy operator_reads on memory.%I for select to mem_operator using (%s)', name, tenant);
      execute format('grant select on memory.%I to mem_app, mem_operator', name);
    end if;
    -- History is written by triggers alone.
    if name not in ('schema_version', 'store_setting') and name not like '%\_history' then
      execute format('create policy app_inserts on memory.%I for insert to mem_app with check (%s and %s)',
        name, tenant, own);
      execute format('create policy app_updates on memory.%I for update to mem_app using (%s and %s) with check (%s and %s)',
        name, tenant, own, tenant, own);
      execute format('create policy app_deletes on memory.%I for delete to mem_app using (%s and %s)',
        name, tenant, own);
      execute format('create policy operator_writes on memory.%I for all to mem_operator using (%s) with check (%s)',
        name, tenant, tenant);
    end if;
  end loop;
end
$$;

grant select on memory.indexable, memory.known_version to mem_app, mem_operator;

-- Canonical rows are appended and retired; nobody rewrites their content at run time.
grant insert, update (valid_until, superseded_by) on memory.guideline_memory, memory.toolbox_memory,
  memory.entity_memory, memory.workflow_memory, memory.knowledge_base_document to mem_app;
grant insert on memory.knowledge_base_chunk, memory.conversation_memory, memory.context_compression,
  memory.context_source_ref, memory.memory_link, memory.issued_memory to mem_app;
grant insert, update (next_turn_index) on memory.thread to mem_app;
grant insert, update (rounds_used, tokens_left, last_call_at) on memory.context_run to mem_app;
grant insert, delete on memory.memory_term, memory.memory_vector, memory.memory_sign, memory.memory_name to mem_app;
grant insert, update (tokens, content_hash) on memory.token_count to mem_app;

grant insert, update (valid_until, superseded_by, quarantined_at, quarantine_reason) on memory.guideline_memory,
  memory.toolbox_memory, memory.entity_memory, memory.workflow_memory, memory.knowledge_base_document to mem_operator;
grant insert, update (valid_until, quarantined_at, quarantine_reason) on memory.persona_memory,
  memory.summarization_memory to mem_operator;
grant insert, update (quarantined_at, quarantine_reason) on memory.knowledge_base_chunk,
  memory.conversation_memory to mem_operator;
grant insert on memory.context_compression, memory.context_source_ref, memory.memory_link, memory.deletion_events
  to mem_operator;
grant insert, update (next_turn_index) on memory.thread to mem_operator;
grant insert, delete on memory.memory_term, memory.memory_vector, memory.memory_sign, memory.memory_name
  to mem_operator;
grant insert, update (tokens, content_hash) on memory.token_count to mem_operator;
