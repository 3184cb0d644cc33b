-- Addresses of the active shared documents of a collection (and agent, or none) that one writer brought and that begin
-- with a prefix; in their order, from after one.
-- binds: agent_id, collection, written_by, prefix, after_uri, row_limit
select d.source_uri from memory.knowledge_base_document d
where d.tenant_id = memory.current_tenant() and d.user_id is null and d.agent_id is not distinct from $1
  and d.collection = $2 and d.written_by = $3 and starts_with(d.source_uri, $4) and d.source_uri > $5
  and d.deleted_at is null and d.superseded_by is null
  and (d.valid_until is null or d.valid_until > clock_timestamp())
order by d.source_uri
limit $6::integer
