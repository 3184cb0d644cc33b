-- Candidates by the definer function, then read by key under row security.
-- $1 chosen terms, $2 their weights, $3 kinds, $4 collections, $5 excluded refs, $6 agent, $7 thread,
-- $8 evaluation time, $9 limit, $10 all asked terms
select m.kind as type, m.id, m.version, m.group_id, m.lengths::integer[] as lengths,
  (
    select array_agg(coalesce(m.frequencies[place.at][field.number], 0)::integer order by term.position, field.number)
    from unnest($10::text[]) with ordinality as term (term, position)
    cross join lateral (select array_position(words.terms, term.term) as at) place
    cross join generate_series(1, 4) as field (number)
  ) as frequencies
from memory.lexical_candidates($1::text[], $2::bigint[], $3::text[], $4::text[], $5::jsonb, $6, $7, $8::timestamptz,
  $9::integer) c
join memory.memory_term m
  on m.tenant_id = memory.current_tenant() and m.kind = c.kind and m.id = c.id and m.version = c.version
cross join lateral (select tsvector_to_array(m.terms) as terms) words
order by c.score desc, m.kind, m.id, m.version
