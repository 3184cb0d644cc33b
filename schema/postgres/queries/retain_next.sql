-- One step of retention of a tenant that is due, whichever.
-- binds: every_seconds, most_events
select memory.retain_next($1::double precision, $2::integer) as report
