select pg_switch_wal()::text as position
