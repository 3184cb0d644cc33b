-- Steps down, until the transaction ends, to the first of these roles that exists and that the login may be: the schema
-- is looked at before it is known whether it is there.
-- binds: role_names
select set_config('role', o.rolname, true) as role
from unnest($1::text[]) with ordinality as r (name, position)
join pg_catalog.pg_roles o on o.rolname = r.name
where pg_has_role(session_user, o.oid,
  case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end)
order by r.position
limit 1
