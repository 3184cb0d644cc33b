-- Chunks by ref, with what their document says; every_scope: of any agent.
-- binds: refs, every_scope, agent_id
select c.*, d.version as document_version, d.collection, d.title, d.source_uri, d.valid_from, d.valid_until,
  d.superseded_by, d.deleted_at as document_deleted_at, d.quarantined_at as document_quarantined_at
from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
join memory.knowledge_base_chunk c on c.tenant_id = memory.current_tenant() and c.id = r.id and r.version = 1
join memory.knowledge_base_document d on d.tenant_id = c.tenant_id and d.id = c.document_id
where $2::boolean or c.agent_id is null or c.agent_id = $3
order by c.id
