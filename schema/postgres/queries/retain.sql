-- $1 the most events of one step, $2 true: only count
select memory.retain($1::integer, $2::boolean) as report
