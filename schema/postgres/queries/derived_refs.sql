-- Memories of the tenant of which something is derived that a search or a window reads.
-- binds: row_limit
select d.type, d.id, d.version from (
  (select t.kind as type, t.id, t.version from memory.memory_term t where t.tenant_id = memory.current_tenant()
    limit $1::integer)
  union
  (select v.kind, v.id, v.version from memory.memory_vector v where v.tenant_id = memory.current_tenant()
    limit $1::integer)
  union
  (select c.kind, c.id, c.version from memory.token_count c where c.tenant_id = memory.current_tenant()
    limit $1::integer)
) d
limit $1::integer
