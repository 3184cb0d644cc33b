-- Erases a target with all that came of it; dry_run: only counts.
-- binds: target, dry_run
select memory.erase($1::jsonb, $2::boolean) as report
