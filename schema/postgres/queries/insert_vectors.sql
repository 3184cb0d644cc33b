-- Entries: ref, part, content_hash, vector as text; null: the embedder knows nothing in it.
-- binds: entries, embedder
with entry as (
  select i.*, e.part, e.content_hash, e.vector::vector as vector
  from jsonb_to_recordset($1::jsonb) as e (type text, id text, version integer, part text, content_hash text,
    vector text)
  join memory.indexable i
    on i.tenant_id = memory.current_tenant() and i.kind = e.type and i.id = e.id and i.version = e.version
), vectors as (
  insert into memory.memory_vector (tenant_id, kind, id, version, part, user_id, agent_id, thread_id, collection,
    group_id, valid_from, valid_until, quarantined, content_hash, embedder, vector)
  select e.tenant_id, e.kind, e.id, e.version, e.part, e.user_id, e.agent_id, e.thread_id, e.collection, e.group_id,
    e.valid_from, e.valid_until, e.quarantined, e.content_hash, $2, e.vector
  from entry e
)
insert into memory.memory_sign (tenant_id, kind, id, version, part, user_id, agent_id, thread_id, collection,
  valid_from, valid_until, quarantined, embedder, bits)
select e.tenant_id, e.kind, e.id, e.version, e.part, e.user_id, e.agent_id, e.thread_id, e.collection, e.valid_from,
  e.valid_until, e.quarantined, $2, binary_quantize(e.vector)
from entry e
where e.vector is not null
