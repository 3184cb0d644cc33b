-- The file of what the planner noted, without what was deleted from it.
-- binds: none
vacuum full pg_catalog.pg_statistic
