-- Those refs that the caller cannot see any more, type by type.
-- binds: refs
select g.type, u.id, u.version
from (
  select r.type, jsonb_agg(jsonb_build_object('id', r.id, 'version', r.version)) as refs
  from jsonb_to_recordset($1::jsonb) as r (type text, id text, version integer)
  group by r.type
) g
cross join lateral memory.unseen(g.type, g.refs) u
