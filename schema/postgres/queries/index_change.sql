-- What was written last to the rows that searches read: the number of its statement, the next transaction after it, and
-- whose vectors the store holds.
-- binds: none
select c.last_value as change, pg_snapshot_xmax(pg_current_snapshot())::text as next_transaction,
  (select s.value from memory.store_setting s where s.name = 'embedder_id') as embedder_id,
  (select s.value::integer from memory.store_setting s where s.name = 'embedder_dimensions') as embedder_dimensions
from memory.index_change c
