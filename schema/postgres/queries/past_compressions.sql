-- Every text that these compressions ever had, the present one first: a window may have been made with a compression
-- that was written after its snapshot, so the snapshot does not decide here. $1 ids, $2 user
select v.* from (
  select b.id, b.user_id, b.source_type, b.source_id, b.source_version, b.source_hash, b.text, b.tokens, b.model,
    b.prompt_version, b.xid, true as stands
  from memory.context_compression b
  where b.tenant_id = memory.current_tenant() and b.id = any ($1::text[])
  union all
  select h.id, h.user_id, h.source_type, h.source_id, h.source_version, h.source_hash, h.text, h.tokens, h.model,
    h.prompt_version, h.xid, false
  from memory.context_compression_history h
  where h.tenant_id = memory.current_tenant() and h.id = any ($1::text[])
) v
where v.user_id is null or v.user_id = $2
order by v.id, v.stands desc, v.xid desc
