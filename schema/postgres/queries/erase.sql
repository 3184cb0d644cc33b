-- $1 target, $2 true: only count
select memory.erase($1::jsonb, $2::boolean) as report
