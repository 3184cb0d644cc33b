select count(*) as segments from pg_ls_waldir()
