-- A restored copy counts the same transactions anew: a position recorded by one of the two is not the other's. Nor is
-- what one of them sealed for a client.
update memory.store_setting
set value = case name
  when 'incarnation' then gen_random_uuid()::text
  else gen_random_uuid()::text || gen_random_uuid()::text
end
where name in ('incarnation', 'sealing_secret')
returning value
