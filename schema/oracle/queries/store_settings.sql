-- Which database this is, and whose vectors it holds.
-- binds: none
SELECT mem_sec.incarnation AS incarnation,
  (SELECT s.value FROM mem_owner.store_setting s WHERE s.name = 'embedder_id') AS embedder_id,
  (SELECT TO_NUMBER(s.value)
    FROM mem_owner.store_setting s WHERE s.name = 'embedder_dimensions') AS embedder_dimensions
FROM DUAL
