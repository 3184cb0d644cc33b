-- How many bytes were logged since the last checkpoint, and how large the database is.
-- binds: none
select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), c.redo_lsn)::bigint as log_bytes,
  pg_database_size(current_database()) as database_bytes
from pg_control_checkpoint() c
