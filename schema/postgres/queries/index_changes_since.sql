-- How many texts, and vectors of the embedder, the caller can see; how many of either a transaction wrote from a given one
-- on, and their refs up to a number. What is gone is missing in the counts. Every row is looked at: what is the same for
-- all of them stands in a query of its own.
-- binds: embedder, since_transaction, most
select t.rows, s.rows as signs, greatest(t.changed, s.changed) as changed, t.refs || s.refs as refs
from (
  select count(*)::integer as rows, count(*) filter (where r.is_new)::integer as changed,
    coalesce(to_jsonb((array_agg(jsonb_build_object('type', r.kind, 'id', r.id, 'version', r.version))
      filter (where r.is_new))[1:$3::integer]), '[]') as refs
  from (
    select k.kind, k.id, k.version, age(k.xmin) <= (select age($2::xid8::xid)) as is_new from memory.memory_term k
    where k.tenant_id = (select memory.current_tenant())
  ) r
) t, (
  select count(*)::integer as rows, count(*) filter (where r.is_new)::integer as changed,
    coalesce(to_jsonb((array_agg(jsonb_build_object('type', r.kind, 'id', r.id, 'version', r.version))
      filter (where r.is_new))[1:$3::integer]), '[]') as refs
  from (
    select k.kind, k.id, k.version, age(k.xmin) <= (select age($2::xid8::xid)) as is_new from memory.memory_sign k
    where k.tenant_id = (select memory.current_tenant()) and k.embedder = $1
  ) r
) s
