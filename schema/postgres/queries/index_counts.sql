-- How far what is derived of the tenant's memories is as it should be; left_over: vectors by other embedders.
-- binds: embedder, analysis
select
  (select count(*) from memory.indexable i where i.tenant_id = memory.current_tenant()) as memories,
  (select count(*) from memory.memory_term t where t.tenant_id = memory.current_tenant()) as indexed,
  (select count(*) from memory.memory_term t
    where t.tenant_id = memory.current_tenant() and t.analysis = $2::integer) as analysed,
  (select count(*) from memory.memory_vector v
    where v.tenant_id = memory.current_tenant() and v.part = 'text' and v.embedder = $1) as with_vector,
  (select count(*) from memory.memory_vector v
    where v.tenant_id = memory.current_tenant() and v.embedder <> $1) as left_over
