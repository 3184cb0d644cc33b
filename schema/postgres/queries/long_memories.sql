-- Memories whose element has more tokens than the limit of their kind, by kind, id and version, from after one. A
-- count can be shared where its memory is private: only rows that the caller may see are named.
-- binds: kinds, limits, renderer_version, encoding, after_kind, after_id, after_version, row_limit
select c.kind as type, c.id, c.version from memory.token_count c
join unnest($1::text[], $2::integer[]) as most (kind, tokens) on most.kind = c.kind and c.tokens > most.tokens
join memory.known_version v
  on v.tenant_id = c.tenant_id and v.type = c.kind and v.id = c.id and v.version = c.version
where c.tenant_id = memory.current_tenant() and c.tier = 'full' and c.renderer_version = $3 and c.encoding = $4
  and (c.kind, c.id, c.version) > ($5, $6, $7::integer)
group by c.kind, c.id, c.version
order by c.kind, c.id, c.version
limit $8::integer
