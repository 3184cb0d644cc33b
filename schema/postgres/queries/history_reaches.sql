-- Whether nothing that a snapshot saw can have been pruned: every transaction before the horizon was visible to it.
-- $1 snapshot
select pg_snapshot_xmin($1::pg_snapshot) >= coalesce(
  (select h.horizon from memory.history_horizon h where h.tenant_id = memory.current_tenant()), '0'::xid8
) as reaches
