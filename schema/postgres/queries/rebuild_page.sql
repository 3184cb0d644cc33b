-- Memories of a kind after an id, with what is derived of each; analysis null: it is not indexed; vector_hash null: it has
-- no vector by the embedder. lacking: only those without such a vector, or without terms of the analysis; null: all.
-- binds: kind, after_id, embedder, analysis, lacking, row_limit
select i.kind as type, i.id, i.version, t.analysis, v.content_hash as vector_hash
from memory.indexable i
left join memory.memory_term t
  on t.tenant_id = i.tenant_id and t.kind = i.kind and t.id = i.id and t.version = i.version
left join memory.memory_vector v
  on v.tenant_id = i.tenant_id and v.part = 'text' and v.kind = i.kind and v.id = i.id and v.version = i.version
    and v.embedder = $3
where i.tenant_id = memory.current_tenant() and i.kind = $1 and i.id > $2
  and case $5 when 'vectors' then v.id is null when 'terms' then t.analysis is distinct from $4::integer else true end
order by i.id
limit $6::integer
