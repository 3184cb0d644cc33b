-- Back to the login, within the transaction
-- binds: none
select set_config('role', 'none', true) as role
