-- The living turns of its thread, or chunks of its document, that stand next to each of these memories; so many on each
-- side, in their order. Turns of an agent and of none are sought apart, so that the index on places serves both.
-- binds: refs, reach
select r.type, r.id, r.version, n.id as neighbour, n.place < c.turn_index as is_before, n.place
from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
join memory.conversation_memory c on c.tenant_id = memory.current_tenant() and c.event_id = r.id
cross join lateral (
  (select b.event_id as id, b.turn_index as place from memory.conversation_memory b
    where b.tenant_id = c.tenant_id and b.user_id = c.user_id and b.thread_id = c.thread_id
      and b.agent_id = c.agent_id and b.turn_index < c.turn_index and b.deleted_at is null
    order by b.turn_index desc limit $2::integer)
  union all
  (select b.event_id, b.turn_index from memory.conversation_memory b
    where b.tenant_id = c.tenant_id and b.user_id = c.user_id and b.thread_id = c.thread_id
      and b.agent_id is null and c.agent_id is null and b.turn_index < c.turn_index and b.deleted_at is null
    order by b.turn_index desc limit $2::integer)
  union all
  (select a.event_id, a.turn_index from memory.conversation_memory a
    where a.tenant_id = c.tenant_id and a.user_id = c.user_id and a.thread_id = c.thread_id
      and a.agent_id = c.agent_id and a.turn_index > c.turn_index and a.deleted_at is null
    order by a.turn_index limit $2::integer)
  union all
  (select a.event_id, a.turn_index from memory.conversation_memory a
    where a.tenant_id = c.tenant_id and a.user_id = c.user_id and a.thread_id = c.thread_id
      and a.agent_id is null and c.agent_id is null and a.turn_index > c.turn_index and a.deleted_at is null
    order by a.turn_index limit $2::integer)
) n
where r.type = 'conversation'
union all
select r.type, r.id, r.version, n.id, n.place < c.chunk_index, n.place
from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
join memory.knowledge_base_chunk c on c.tenant_id = memory.current_tenant() and c.id = r.id
cross join lateral (
  (select b.id, b.chunk_index as place from memory.knowledge_base_chunk b
    where b.tenant_id = c.tenant_id and b.document_id = c.document_id and b.chunk_index < c.chunk_index
      and b.deleted_at is null
    order by b.chunk_index desc limit $2::integer)
  union all
  (select a.id, a.chunk_index from memory.knowledge_base_chunk a
    where a.tenant_id = c.tenant_id and a.document_id = c.document_id and a.chunk_index > c.chunk_index
      and a.deleted_at is null
    order by a.chunk_index limit $2::integer)
) n
where r.type = 'chunk'
order by type, id, place
