-- What the planner noted of columns holds values of them
delete from pg_catalog.pg_statistic
where starelid in (select c.oid from pg_catalog.pg_class c where c.relnamespace = 'memory'::regnamespace)
