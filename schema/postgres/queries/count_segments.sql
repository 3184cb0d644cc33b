-- Segments of the write-ahead log.
-- binds: none
select count(*) as segments from pg_ls_waldir()
