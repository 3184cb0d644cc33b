-- Chunks by ref, with what their document says; every_scope: of any agent. Key by key: joined as tables, the planner
-- may begin with all documents. Of both only what is read: a search brings many, and each value is written as text.
-- binds: refs, every_scope, agent_id
select c.tenant_id, c.id, c.user_id, c.agent_id, c.document_id, c.chunk_index, c.content, c.created_at, c.deleted_at,
  c.source_event_id, c.trust, c.quarantined_at, d.version as document_version, d.collection, d.title, d.source_uri,
  d.valid_from, d.valid_until, d.superseded_by, d.deleted_at as document_deleted_at,
  d.quarantined_at as document_quarantined_at
from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
cross join lateral (
  select * from memory.knowledge_base_chunk k
  where k.tenant_id = memory.current_tenant() and k.id = r.id and r.version = 1
    and ($2::boolean or k.agent_id is null or k.agent_id = $3)
  offset 0
) c
cross join lateral (
  select * from memory.knowledge_base_document k where k.tenant_id = c.tenant_id and k.id = c.document_id
  offset 0
) d
order by c.id
