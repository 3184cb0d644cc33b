-- Says whether anything was written to what searches read, for a process that keeps it in memory. A sequence: whoever
-- writes takes the next number and waits for nobody, who may yet be rolled back. Where one connection is all there is,
-- no transaction is under way while another one looks, so an unchanged number says that nothing changed; where there
-- are several it says nothing, and nobody looks.

set local role mem_owner;

create sequence memory.index_change;
-- A sequence that was never asked says the number that it will give first.
do $$ begin perform nextval('memory.index_change'); end $$;

-- As whoever writes; statements that changed no row count, too.
create function memory.note_index_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform nextval('memory.index_change');
  return null;
end
$$;

create trigger note_index_change after insert or update or delete or truncate on memory.memory_term
  for each statement execute function memory.note_index_change();
create trigger note_index_change after insert or update or delete or truncate on memory.memory_vector
  for each statement execute function memory.note_index_change();
create trigger note_index_change after insert or update or delete or truncate on memory.memory_sign
  for each statement execute function memory.note_index_change();

grant usage, select on sequence memory.index_change to mem_app, mem_operator;
