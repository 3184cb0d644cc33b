-- System-versioned history of every canonical table: a read as of a recorded snapshot needs no clock.
-- A version is visible to a snapshot when the transaction that wrote it is, and the one that retired it is not.

set local role mem_owner;

create function memory.archive_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    new.xid := pg_current_xact_id();
    return new;
  end if;
  -- A version that its own transaction replaced was never visible to anybody.
  if old.xid is distinct from pg_current_xact_id() then
    execute format('insert into memory.%I select $1, ($2).*', tg_table_name || '_history')
      using pg_current_xact_id(), old;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new.xid := pg_current_xact_id();
  return new;
end
$$;

-- retired_xid stands first, so that a column added later to both tables keeps them in step.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['guideline_memory', 'persona_memory', 'toolbox_memory', 'entity_memory',
    'workflow_memory', 'summarization_memory', 'conversation_memory', 'knowledge_base_document',
    'knowledge_base_chunk', 'context_compression', 'context_source_ref', 'memory_link'] loop
    execute format('create table memory.%I (retired_xid xid8 not null, like memory.%I)',
      table_name || '_history', table_name);
    execute format('create trigger archive_version before insert or update or delete on memory.%I
      for each row execute function memory.archive_version()', table_name);
  end loop;
end
$$;

alter table memory.guideline_memory_history add primary key (tenant_id, id, xid);
alter table memory.persona_memory_history add primary key (tenant_id, id, xid);
alter table memory.toolbox_memory_history add primary key (tenant_id, id, xid);
alter table memory.entity_memory_history add primary key (tenant_id, id, xid);
alter table memory.workflow_memory_history add primary key (tenant_id, id, xid);
alter table memory.summarization_memory_history add primary key (tenant_id, id, xid);
alter table memory.conversation_memory_history add primary key (tenant_id, event_id, xid);
alter table memory.knowledge_base_document_history add primary key (tenant_id, id, xid);
alter table memory.knowledge_base_chunk_history add primary key (tenant_id, id, xid);
alter table memory.context_compression_history add primary key (tenant_id, id, xid);
alter table memory.context_source_ref_history add primary key (tenant_id, derived_type, derived_id, derived_version,
  source_type, source_id, source_version, relation, user_key, xid);
alter table memory.memory_link_history add primary key (tenant_id, source_type, source_id, source_version,
  target_type, target_id, target_version, relation, user_key, xid);
