-- A segment of the write-ahead log that is used again keeps what it held
set wal_recycle = off
