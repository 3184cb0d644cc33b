-- Optional, by a DBA, instead of vector_index_hnsw.sql: partitions on disk, for more vectors than memory holds. It
-- needs no vector pool. Only one of the two can stand.
CREATE VECTOR INDEX IF NOT EXISTS mem_owner.memory_vector_near ON mem_owner.memory_vector (vector)
ORGANIZATION NEIGHBOR PARTITIONS DISTANCE DOT WITH TARGET ACCURACY 95
/
