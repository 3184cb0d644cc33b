-- What an administrator runs where the login of migrations may not do it by itself: only what is missing, a line
-- each.
-- A login of null: none was named.
-- binds: owner_login, server_login, operator_login
with version as (
  select current_setting('server_version_num')::integer >= 160000 as has_options
), line as (
  select 1 as step, 'create extension vector' as text
  where not exists (select from pg_extension where extname = 'vector')
  union all
  select 2, format('create role %I nologin noinherit', r.name)
  from unnest(array['mem_owner', 'mem_operator', 'mem_app']) as r (name) where to_regrole(r.name) is null
  union all
  select 3, format('grant create on database %I to %I', current_database(), $1::text)
  where not has_database_privilege($1::text, current_database(), 'CREATE')
  union all
  select 4, format(case when v.has_options then 'grant mem_owner to %I with inherit true, set true'
    else 'grant mem_owner to %I' end, $1::text)
  from version v
  union all
  select 5, format(case when v.has_options then 'grant %I to %I with inherit false, set true'
    else 'grant %I to %I' end, m.role, m.login)
  from version v, (values ('mem_app', $2::text), ('mem_operator', $3::text)) as m (role, login)
  where m.login is not null
)
select string_agg(text || chr(59), E'\n' order by step, text) as script from line
