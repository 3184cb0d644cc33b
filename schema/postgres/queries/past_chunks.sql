-- As of a snapshot. $1 snapshot, $2 refs, $3 user, $4 agent
select c.*, d.version as document_version, d.collection, d.title, d.source_uri, d.valid_from, d.valid_until,
  d.superseded_by, d.deleted_at as document_deleted_at, d.quarantined_at as document_quarantined_at
from jsonb_to_recordset($2::jsonb) as r (id text, version integer)
join memory.knowledge_base_chunk_as_of($1::pg_snapshot) c
  on c.tenant_id = memory.current_tenant() and c.id = r.id and r.version = 1
join memory.knowledge_base_document_as_of($1::pg_snapshot) d on d.tenant_id = c.tenant_id and d.id = c.document_id
where (c.user_id is null or c.user_id = $3) and (c.agent_id is null or c.agent_id = $4)
order by c.id
