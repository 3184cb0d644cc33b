vacuum full pg_catalog.pg_statistic
