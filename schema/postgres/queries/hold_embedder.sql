-- Whose vectors the store holds, which does not change until the transaction ends.
-- binds: none
select h.embedder_id, h.embedder_dimensions from memory.hold_embedder() h
