-- Entries: ref, content_hash, the analysis that they come from, lengths, terms as {term: [title, date, body, context]}.
-- binds: entries
insert into memory.memory_term (tenant_id, kind, id, version, user_id, agent_id, thread_id, collection, group_id,
  valid_from, valid_until, quarantined, content_hash, terms, frequencies, lengths, analysis)
select i.tenant_id, i.kind, i.id, i.version, i.user_id, i.agent_id, i.thread_id, i.collection, i.group_id,
  i.valid_from, i.valid_until, i.quarantined, e.content_hash,
  array_to_tsvector(memory.tenant_lexeme(i.tenant_id) || coalesce(words.terms, '{}')),
  array[array[0, 0, 0, 0]]::smallint[] || coalesce(words.frequencies, '{}'),
  e.lengths, e.analysis
from jsonb_to_recordset($1::jsonb) as e (type text, id text, version integer, content_hash text, analysis integer,
  lengths integer[], terms jsonb)
join memory.indexable i
  on i.tenant_id = memory.current_tenant() and i.kind = e.type and i.id = e.id and i.version = e.version
cross join lateral (
  select array_agg(t.key order by t.key collate "C") as terms,
    array_agg(array[t.value -> 0, t.value -> 1, t.value -> 2, t.value -> 3]::smallint[] order by t.key collate "C")
      as frequencies
  from jsonb_each(e.terms) t
) words
