-- Makes this embedder the store's, if no memory of any tenant lacks its vectors.
-- binds: embedder, dimensions
select memory.switch_embedder($1, $2::integer) as switched
