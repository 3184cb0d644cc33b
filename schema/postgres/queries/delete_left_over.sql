-- Deletes vectors of the tenant by other embedders than this, a bounded number, and tells how many.
-- binds: embedder, row_limit
with vectors as (
  delete from memory.memory_vector v where v.tenant_id = memory.current_tenant() and v.ctid = any (array(
    select l.ctid from memory.memory_vector l
    where l.tenant_id = memory.current_tenant() and l.embedder <> $1 limit $2::integer))
  returning 1
), signs as (
  delete from memory.memory_sign s where s.tenant_id = memory.current_tenant() and s.ctid = any (array(
    select l.ctid from memory.memory_sign l
    where l.tenant_id = memory.current_tenant() and l.embedder <> $1 limit $2::integer))
  returning 1
)
select (select count(*) from vectors) + (select count(*) from signs) as deleted
