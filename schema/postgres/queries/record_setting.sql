-- Keeps what is recorded: the first embedder stays the store's.
-- binds: name, value
insert into memory.store_setting (name, value) values ($1, $2) on conflict (name) do nothing
