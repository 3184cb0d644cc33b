-- Back to the login, within the transaction
select set_config('role', 'none', true) as role
