-- Lets a login become a role, without having the role's rights before it does; runs in a transaction that has set both
-- names. Before version 16 a membership has no options.
do $$
begin
  if current_setting('server_version_num')::integer >= 160000 then
    execute format('grant %I to %I with inherit false, set true', current_setting('memory.role'),
      current_setting('memory.login'));
  else
    execute format('grant %I to %I', current_setting('memory.role'), current_setting('memory.login'));
  end if;
end
$$;
