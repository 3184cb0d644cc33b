-- One step of retention; dry_run: only counts.
-- binds: most_events, dry_run
select memory.retain($1::integer, $2::boolean) as report
