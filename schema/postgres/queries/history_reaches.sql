-- Whether nothing that a snapshot saw can have been pruned: every transaction before the horizon was visible to it.
-- $1 snapshot
select pg_snapshot_xmin($1::pg_snapshot) >= (
  select s.value::xid8 from memory.store_setting s where s.name = 'history_horizon'
) as reaches
