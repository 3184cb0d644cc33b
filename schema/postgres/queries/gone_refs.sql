-- The refs of a manifest that no living row has any more.
-- binds: manifest_id
select g.type, g.id, g.version from memory.gone_refs($1) g order by g.type, g.id, g.version
