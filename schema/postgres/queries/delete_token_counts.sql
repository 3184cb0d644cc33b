-- The token counts of these refs, whoever they were kept for.
-- binds: refs
delete from memory.token_count c using jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
where c.tenant_id = memory.current_tenant() and c.kind = r.type and c.id = r.id and c.version = r.version
