-- One migration at a time for a database; the number is this program's own.
-- binds: none
select pg_advisory_xact_lock(7103114281)
