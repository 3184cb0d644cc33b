-- Whether a login exists and may already become a role
select to_regrole(quote_ident($1)) is not null as present,
  coalesce(pg_has_role(to_regrole(quote_ident($1)), to_regrole($2),
    case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end), false) as granted
