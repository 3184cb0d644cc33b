-- Events by their ids, and documents by theirs or by a chunk's; no text of either. $1 refs, $2 true for any agent,
-- $3 agent
select r.type, r.id, r.version, c.event_type, null as title, null as uri, c.created_at
from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
join memory.conversation_memory c
  on c.tenant_id = memory.current_tenant() and r.type = 'conversation' and c.event_id = r.id
where c.deleted_at is null and ($2::boolean or c.agent_id is null or c.agent_id = $3)
union all
select 'document', d.id, d.version, null, d.title, d.source_uri, d.created_at
from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
left join memory.knowledge_base_chunk k
  on k.tenant_id = memory.current_tenant() and r.type = 'chunk' and k.id = r.id and k.deleted_at is null
join memory.knowledge_base_document d
  on d.tenant_id = memory.current_tenant()
    and (r.type = 'chunk' and d.id = k.document_id or r.type = 'document' and d.id = r.id)
where d.deleted_at is null and ($2::boolean or d.agent_id is null or d.agent_id = $3)
order by 1, 2, 3
