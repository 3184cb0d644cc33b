-- Says which tenant's tools changed; a notification is delivered when its transaction commits, never before.

set local role mem_owner;

create function memory.notify_toolbox() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_notify('memory_toolbox', case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end);
  return null;
end
$$;

create trigger notify_toolbox after insert or update or delete on memory.toolbox_memory
  for each row execute function memory.notify_toolbox();
