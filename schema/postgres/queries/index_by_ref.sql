-- The same as index_page of texts by ref; those that the caller cannot see are absent.
-- binds: embedder, refs
select k.kind as type, k.id, k.version, k.user_id is not null as is_own, k.agent_id, k.thread_id, k.collection,
  k.group_id, k.valid_from, k.valid_until, k.quarantined, k.content_hash < '1' as sampled,
  array_to_string(k.lengths, ',') as lengths, array_to_string(tsvector_to_array(k.terms), E'\n') as lexemes,
  array_to_string(k.frequencies, ',') as frequencies,
  encode(varbit_send(text.bits), 'hex') as text_bits, encode(varbit_send(context.bits), 'hex') as context_bits
from jsonb_to_recordset($2::jsonb) as r (type text, id text, version integer)
cross join lateral (
  select * from memory.memory_term t
  where t.tenant_id = memory.current_tenant() and t.kind = r.type and t.id = r.id and t.version = r.version
  offset 0
) k
left join lateral (
  select v.embedder, v.bits from memory.memory_sign v
  where v.tenant_id = k.tenant_id and v.part = 'text' and v.kind = k.kind and v.id = k.id and v.version = k.version
  offset 0
) text on text.embedder = $1
left join lateral (
  select v.embedder, v.bits from memory.memory_sign v
  where v.tenant_id = k.tenant_id and v.part = 'context' and v.kind = k.kind and v.id = k.id and v.version = k.version
  offset 0
) context on context.embedder = $1
