-- What every call asks for is found without reading more than the answer: names of collections, and whether a row still
-- stands.

set local role mem_owner;

-- The next name after one, however many documents have either.
create index knowledge_base_document_collection on memory.knowledge_base_document (tenant_id, collection);

-- As before (013). Of a type that is written out the planner knows which one of the view's tables is meant, and opens no
-- other: most of the time went into opening the ten of them.
do $$
declare
  v_branches text;
begin
  select string_agg(format($branch$
        when %1$L then return exists (
          select from memory.known_version v
          where v.tenant_id = memory.current_tenant() and v.type = %1$L and v.id = p_id and v.version = p_version);$branch$,
      t.type), '') into v_branches
    from unnest(array['guideline', 'persona', 'toolbox', 'entity', 'workflow', 'summary', 'conversation', 'document',
      'chunk', 'compression']) as t (type);
  execute format($function$
    create or replace function memory.can_see(p_type text, p_id text, p_version integer) returns boolean
    language plpgsql stable set search_path = pg_catalog, pg_temp
    as $body$
    begin
      case p_type%s
        else return exists (
          select from memory.known_version v
          where v.tenant_id = memory.current_tenant() and v.type = p_type and v.id = p_id and v.version = p_version);
      end case;
    end
    $body$
  $function$, v_branches);
end
$$;
