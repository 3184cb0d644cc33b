-- Every version of identities, which come with the hash of their conditions.
-- binds: identities, agent_id, thread_id
select e.* from jsonb_to_recordset($1::jsonb) as i (subject text, predicate text, conditions_hash text)
join memory.entity_memory e
  on e.tenant_id = memory.current_tenant() and e.subject = i.subject and e.predicate = i.predicate
    and e.conditions_hash is not distinct from i.conditions_hash
where e.content is not null
  and (e.agent_id is null or e.agent_id = $2) and (e.thread_id is null or e.thread_id = $3)
order by e.id
limit 5000
