-- Keeps what is recorded: the first embedder stays the store's.
-- binds: name, value
INSERT INTO mem_owner.store_setting (name, value)
SELECT :name, :value FROM DUAL
WHERE NOT EXISTS (SELECT 1 FROM mem_owner.store_setting s WHERE s.name = :name)
