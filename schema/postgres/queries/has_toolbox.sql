-- binds: none
select exists (select from memory.toolbox_memory) as present
