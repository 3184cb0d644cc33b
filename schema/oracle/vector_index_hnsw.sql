-- Optional, by a DBA: an approximate index for many vectors (a hundred thousand and more that one user can see). It
-- lives in the vector pool: set vector_memory_size first, which is 0 where nobody did (ORA-51962):
--   ALTER SYSTEM SET vector_memory_size = 2G SCOPE = SPFILE, then a restart.
-- The metric must be the one that the statements order by. No INCLUDE columns: they do not go with row security.
CREATE VECTOR INDEX IF NOT EXISTS mem_owner.memory_vector_near ON mem_owner.memory_vector (vector)
ORGANIZATION INMEMORY NEIGHBOR GRAPH DISTANCE DOT WITH TARGET ACCURACY 95
/
