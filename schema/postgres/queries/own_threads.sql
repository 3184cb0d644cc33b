-- The user's threads with this agent, by name, with the number of the newest turn. $1 agent, $2 after this name, $3 limit
select t.thread_id, t.next_turn_index - 1 as turns from memory.thread t
where t.tenant_id = memory.current_tenant() and t.user_id = memory.context_user()
  and t.agent_id is not distinct from $1 and t.thread_id > $2 and t.next_turn_index > 1
order by t.thread_id
limit $3::integer
