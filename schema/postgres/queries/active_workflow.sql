-- The active row of a key, else its newest version; locked until the transaction ends.
-- binds: row_key
select m.*, m.deleted_at is null and (m.valid_until is null or m.valid_until > clock_timestamp()) and m.superseded_by is null as active
from jsonb_to_record($1::jsonb) as r (user_id text, agent_id text, workflow_name text)
join memory.workflow_memory m
  on m.tenant_id = memory.current_tenant() and m.user_id is not distinct from r.user_id
    and m.agent_id is not distinct from r.agent_id
    and m.workflow_name = r.workflow_name
order by active desc, m.version desc, m.id desc
limit 1
for update of m
