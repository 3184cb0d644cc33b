-- $1 manifest
select g.type, g.id, g.version from memory.gone_refs($1) g order by g.type, g.id, g.version
