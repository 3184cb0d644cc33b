-- Whether a login exists, may already become a role, and may be let to by whoever asks
-- binds: login, role_name
select to_regrole(quote_ident($1)) is not null as present,
  coalesce(pg_has_role(to_regrole(quote_ident($1)), to_regrole($2),
    case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end), false) as granted,
  coalesce(pg_has_role(session_user, to_regrole($2), 'MEMBER WITH ADMIN OPTION'), false) as grantable
