-- What every call asks for is found without reading more than the answer: names of collections, and whether a row still
-- stands.

set local role mem_owner;

-- The next name after one, however many documents have either.
create index knowledge_base_document_collection on memory.knowledge_base_document (tenant_id, collection);

-- Those refs of one type that the caller cannot see, in place of can_see (013), which was called for each. Each type has a
-- query of its own, in which the planner knows the one table of the view that is meant: opening all ten takes longer than
-- the search. A look by key for each ref, never a join, whose plan would be kept for a table that grows.
do $$
declare
  v_branches text;
begin
  select string_agg(format($branch$
        when %1$L then return query
          select r.id, r.version from jsonb_to_recordset(p_refs) as r (id text, version integer)
          where (
            select true from memory.known_version v
            where v.tenant_id = memory.current_tenant() and v.type = %1$L and v.id = r.id and v.version = r.version
            limit 1) is null;$branch$,
      t.type), '') into v_branches
    from unnest(array['guideline', 'persona', 'toolbox', 'entity', 'workflow', 'summary', 'conversation', 'document',
      'chunk', 'compression']) as t (type);
  execute format($function$
    create function memory.unseen(p_type text, p_refs jsonb) returns table (id text, version integer)
    language plpgsql stable rows 1 set search_path = pg_catalog, pg_temp
    as $body$
    begin
      case p_type%s
        else return query select r.id, r.version from jsonb_to_recordset(p_refs) as r (id text, version integer);
      end case;
    end
    $body$
  $function$, v_branches);
end
$$;

grant execute on function memory.unseen to mem_app, mem_operator;

drop function memory.can_see;
