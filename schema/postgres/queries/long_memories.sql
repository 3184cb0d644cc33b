-- Memories whose element has more tokens than the limit of their kind, by kind, id and version. A count can be shared
-- where its memory is private: only rows that the caller may see are named.
-- $1 kinds, $2 limits, $3 renderer, $4 encoding, $5 to $7 after this kind, id and version, $8 how many
select c.kind as type, c.id, c.version from memory.token_count c
join unnest($1::text[], $2::integer[]) as most (kind, tokens) on most.kind = c.kind and c.tokens > most.tokens
join memory.known_version v
  on v.tenant_id = c.tenant_id and v.type = c.kind and v.id = c.id and v.version = c.version
where c.tenant_id = memory.current_tenant() and c.tier = 'full' and c.renderer_version = $3 and c.encoding = $4
  and (c.kind, c.id, c.version) > ($5, $6, $7::integer)
group by c.kind, c.id, c.version
order by c.kind, c.id, c.version
limit $8::integer
