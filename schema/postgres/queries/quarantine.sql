-- Exactly one of these touches a row. A reason of null clears the mark.
-- binds: ref_type, row_id, ref_version, reason
with mark as (
  select case when $4::text is null then null else clock_timestamp() end as at, $4::text as reason
), guideline as (
  update memory.guideline_memory set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'guideline' and tenant_id = memory.current_tenant() and id = $2 and version = $3::integer
  returning 1
), persona as (
  update memory.persona_memory set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'persona' and tenant_id = memory.current_tenant() and id = $2 and 1 = $3::integer
  returning 1
), toolbox as (
  update memory.toolbox_memory set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'toolbox' and tenant_id = memory.current_tenant() and id = $2 and version = $3::integer
  returning 1
), entity as (
  update memory.entity_memory set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'entity' and tenant_id = memory.current_tenant() and id = $2 and version = $3::integer
  returning 1
), workflow as (
  update memory.workflow_memory set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'workflow' and tenant_id = memory.current_tenant() and id = $2 and version = $3::integer
  returning 1
), summary as (
  update memory.summarization_memory set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'summary' and tenant_id = memory.current_tenant() and id = $2 and 1 = $3::integer
  returning 1
), conversation as (
  update memory.conversation_memory set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'conversation' and tenant_id = memory.current_tenant() and event_id = $2 and 1 = $3::integer
  returning 1
), document as (
  update memory.knowledge_base_document set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'document' and tenant_id = memory.current_tenant() and id = $2 and version = $3::integer
  returning 1
), chunk as (
  update memory.knowledge_base_chunk set quarantined_at = mark.at, quarantine_reason = mark.reason from mark
  where $1 = 'chunk' and tenant_id = memory.current_tenant() and id = $2 and 1 = $3::integer
  returning 1
)
select (select count(*) from guideline)
  + (select count(*) from persona)
  + (select count(*) from toolbox)
  + (select count(*) from entity)
  + (select count(*) from workflow)
  + (select count(*) from summary)
  + (select count(*) from conversation)
  + (select count(*) from document)
  + (select count(*) from chunk) as marked
