-- Texts that the caller can see as searches read them, by kind, id and version, from after one, with the sign bits of the
-- embedder's vectors. Lexemes, the tenant's own first, stand one a line; the four frequencies of each follow each other.
-- binds: embedder, after_kind, after_id, after_version, row_limit
select k.kind as type, k.id, k.version, k.user_id is not null as is_own, k.agent_id, k.thread_id, k.collection,
  k.group_id, k.valid_from, k.valid_until, k.quarantined, k.content_hash < '1' as sampled,
  array_to_string(k.lengths, ',') as lengths, array_to_string(tsvector_to_array(k.terms), E'\n') as lexemes,
  array_to_string(k.frequencies, ',') as frequencies,
  (select encode(varbit_send(v.bits), 'hex') from memory.memory_sign v
    where v.tenant_id = k.tenant_id and v.part = 'text' and v.kind = k.kind and v.id = k.id and v.version = k.version
      and v.embedder = $1) as text_bits,
  (select encode(varbit_send(v.bits), 'hex') from memory.memory_sign v
    where v.tenant_id = k.tenant_id and v.part = 'context' and v.kind = k.kind and v.id = k.id and v.version = k.version
      and v.embedder = $1) as context_bits
from memory.memory_term k
where k.tenant_id = memory.current_tenant() and (k.kind, k.id, k.version) > ($2, $3, $4::integer)
order by k.kind, k.id, k.version
limit $5::integer
