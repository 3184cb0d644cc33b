-- A secret of the database: what one process seals for a client, another process on the same database can open. It is
-- made once, and for serving alone: operators do not read it, and nobody sees it among the other settings.

set local role mem_owner;

insert into memory.store_setting (name, value)
values ('sealing_secret', gen_random_uuid()::text || gen_random_uuid()::text);

alter policy everyone_reads on memory.store_setting using (name <> 'sealing_secret');

create function memory.sealing_secret() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select value from memory.store_setting where name = 'sealing_secret' $$;

grant execute on function memory.sealing_secret() to mem_app;
