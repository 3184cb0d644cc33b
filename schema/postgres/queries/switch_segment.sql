-- Begins a new segment of the write-ahead log.
-- binds: none
select pg_switch_wal()::text as position
