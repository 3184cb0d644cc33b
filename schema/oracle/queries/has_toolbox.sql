-- True when the tenant ever had a tool.
-- binds: none
SELECT CASE WHEN EXISTS (SELECT 1 FROM mem_owner.toolbox_memory) THEN TRUE ELSE FALSE END AS present FROM DUAL
