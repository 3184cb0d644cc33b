-- Compressions of these sources, by whatever model.
-- binds: refs
select c.* from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
join memory.context_compression c
  on c.tenant_id = memory.current_tenant() and c.source_type = r.type and c.source_id = r.id
    and c.source_version = r.version
order by c.id
limit 5000
