-- Those refs that the caller cannot see any more.
-- binds: refs
select r.type, r.id, r.version from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
where not memory.can_see(r.type, r.id, r.version)
