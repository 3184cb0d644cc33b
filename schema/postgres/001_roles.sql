-- The roles, the schema they work in, and the two tables that describe the store itself.
-- Runs as a login that may create roles; every later file runs as mem_owner.

create extension if not exists vector;

do $$
declare
  role_name text;
begin
  foreach role_name in array array['mem_owner', 'mem_operator', 'mem_app'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = role_name) then
      execute format('create role %I nologin noinherit nosuperuser nobypassrls', role_name);
    end if;
  end loop;
  if not pg_has_role(current_user, 'mem_owner', 'usage') then
    execute format('grant mem_owner to %I', current_user);
  end if;
end
$$;

create schema memory authorization mem_owner;

set local role mem_owner;

-- Functions are for nobody until granted one by one.
alter default privileges revoke execute on functions from public;

grant usage on schema memory to mem_operator, mem_app;

create table memory.schema_version (
  number integer primary key,
  name text collate "C" not null,
  applied_at timestamptz not null default clock_timestamp()
);

create table memory.store_setting (
  name text collate "C" primary key,
  value text collate "C" not null
);

insert into memory.store_setting (name, value) values ('incarnation', gen_random_uuid()::text);
