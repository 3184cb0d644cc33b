-- $1 seconds since a tenant's last retention, $2 the most events of one step
select memory.retain_next($1::double precision, $2::integer) as report
