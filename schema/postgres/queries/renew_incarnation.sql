-- A restored copy counts the same transactions anew: a position recorded by one of the two is not the other's.
-- binds: none
update memory.store_setting set value = gen_random_uuid()::text where name = 'incarnation' returning value
