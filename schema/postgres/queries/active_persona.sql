-- The active row of a key, else its newest version; locked until the transaction ends.
-- binds: row_key
select m.*, m.deleted_at is null and (m.valid_until is null or m.valid_until > clock_timestamp()) as active
from jsonb_to_record($1::jsonb) as r (user_id text, agent_id text, thread_id text, persona_key text)
join memory.persona_memory m
  on m.tenant_id = memory.current_tenant() and m.user_id is not distinct from r.user_id
    and m.agent_id is not distinct from r.agent_id
    and m.thread_id is not distinct from r.thread_id
    and m.persona_key = r.persona_key
order by active desc, m.valid_from desc, m.id desc
limit 1
for update of m
