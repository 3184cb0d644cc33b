-- binds: none
select number from memory.schema_version order by number
