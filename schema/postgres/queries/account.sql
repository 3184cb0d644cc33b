-- What the login is and may become, and what the server is. A login that may grant itself a role counts as having it;
-- before version 16 whoever may create roles could do so with every role.
-- binds: none
with version as (
  select current_setting('server_version_num')::integer as number
), reach as (
  select r.name, to_regrole(r.name) as role,
    case when v.number >= 160000 then 'SET' else 'MEMBER' end as privilege
  from version v cross join unnest(array['mem_owner', 'mem_operator', 'mem_app']) as r (name)
), held as (
  select name, role is not null as present,
    role is not null and (pg_has_role(session_user, role, privilege)) as may_become,
    role is not null and (pg_has_role(session_user, role, privilege) or pg_has_role(session_user, role, 'USAGE')
      or pg_has_role(session_user, role, 'MEMBER WITH ADMIN OPTION')) as within_reach
  from reach
)
select session_user::text as login, current_database()::text as database, v.number as version,
  current_setting('server_version') as version_name,
  l.rolsuper as superuser,
  l.rolbypassrls or exists (
    select from pg_roles r
    where (r.rolsuper or r.rolbypassrls) and not l.rolsuper and r.oid <> l.oid
      and pg_has_role(session_user, r.oid, case when v.number >= 160000 then 'SET' else 'MEMBER' end)
  ) as bypasses,
  l.rolcreaterole as creates_roles,
  v.number < 160000 and l.rolcreaterole as grants_itself,
  exists (
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'memory' and c.relkind in ('r', 'p', 'v') and pg_has_role(session_user, c.relowner, 'USAGE')
  ) or exists (
    select from pg_namespace n where n.nspname = 'memory' and pg_has_role(session_user, n.nspowner, 'USAGE')
  ) as owns_tables,
  has_database_privilege(session_user, current_database(), 'CREATE') as creates_schemas,
  (select bool_and(present) from held) as roles_exist,
  (select within_reach from held where name = 'mem_owner') as reaches_owner,
  (select within_reach from held where name = 'mem_operator') as reaches_operator,
  (select may_become from held where name = 'mem_owner') as may_be_owner,
  (select may_become from held where name = 'mem_operator') as may_be_operator,
  (select may_become from held where name = 'mem_app') as may_be_app,
  exists (select from pg_extension where extname = 'vector') as vector_installed,
  exists (select from pg_available_extensions where name = 'vector') as vector_available
from version v
join pg_roles l on l.rolname = session_user
