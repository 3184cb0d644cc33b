-- Texts that the caller can see as searches read them, by kind, id and version, from after one, with the sign bits of the
-- embedder's vectors. Lexemes, the tenant's own first, stand one a line; the four frequencies of each follow each other.
-- Bits are looked up by key alone: by embedder, the planner might take another index and read all of it for each.
-- binds: embedder, after_kind, after_id, after_version, row_limit
select k.kind as type, k.id, k.version, k.user_id is not null as is_own, k.agent_id, k.thread_id, k.collection,
  k.group_id, k.valid_from, k.valid_until, k.quarantined, k.content_hash < '1' as sampled,
  array_to_string(k.lengths, ',') as lengths, array_to_string(tsvector_to_array(k.terms), E'\n') as lexemes,
  array_to_string(k.frequencies, ',') as frequencies,
  encode(varbit_send(text.bits), 'hex') as text_bits, encode(varbit_send(context.bits), 'hex') as context_bits
from (
  select * from memory.memory_term t
  where t.tenant_id = memory.current_tenant() and (t.kind, t.id, t.version) > ($2, $3, $4::integer)
  order by t.kind, t.id, t.version
  limit $5::integer
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
order by k.kind, k.id, k.version
