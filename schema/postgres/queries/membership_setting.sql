-- What grant_membership.sql reads: names, never text of a statement
-- binds: login, role_name
select set_config('memory.login', $1, true), set_config('memory.role', $2, true)
