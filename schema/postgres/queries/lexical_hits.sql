-- Candidates by the definer function, then read by key under row security; of each, the asked terms that it holds.
-- terms chose them with weights; asked are all terms that were asked. What is long is taken from its pages once, by
-- making a copy of it: each look at the column itself would unpack it again.
-- binds: terms, weights, kinds, collections, excluded, agent_id, thread_id, at_time, row_limit, asked
with asked as materialized (
  select a.term, memory.quoted_lexeme(a.term)::tsquery as query from unnest($10::text[]) as a (term)
)
select m.kind as type, m.id, m.version, m.group_id, m.lengths::integer[] as lengths,
  coalesce(held.terms, '{}') as terms, coalesce(held.frequencies, '{}') as frequencies
from memory.lexical_candidates($1::text[], $2::bigint[], $3::text[], $4::text[], $5::jsonb, $6, $7, $8::timestamptz,
  $9::integer) c
cross join lateral (
  select k.kind, k.id, k.version, k.group_id, k.lengths, strip(k.terms) as terms, tsvector_to_array(k.terms) as words,
    k.frequencies || '{}'::smallint[] as frequencies
  from memory.memory_term k
  where k.tenant_id = memory.current_tenant() and k.kind = c.kind and k.id = c.id and k.version = c.version
  offset 0
) m
cross join lateral (
  select array_agg(word.term order by word.at) as terms,
    array_agg(array[m.frequencies[word.at][1], m.frequencies[word.at][2], m.frequencies[word.at][3],
      m.frequencies[word.at][4]]::integer[] order by word.at) as frequencies
  from (select a.term, array_position(m.words, a.term) as at from asked a where m.terms @@ a.query) word
) held
order by c.score desc, m.kind, m.id, m.version
