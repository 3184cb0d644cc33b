// Faults that a test asks for by an event's retention class: triggers that only the tests' databases have.

import { administer } from './server_session.ts';
import type { TestDatabase } from './server_session.ts';

/**
 * Events of class `slow` take twenty seconds; of `serialization-N` the first N fail as if another transaction had been
 * in their way; of `slow-commit` the commit takes a second.
 */
export async function installFaults(database: TestDatabase): Promise<void> {
  await administer(
    database.administrator,
    'create sequence public.fault_attempts',
    'grant usage on sequence public.fault_attempts to public',
    `create function public.fault() returns trigger language plpgsql as $$
     begin
       if new.retention_class = 'slow' then perform pg_sleep(20); end if;
       if new.retention_class like 'serialization-%'
          and nextval('public.fault_attempts') <= split_part(new.retention_class, '-', 2)::integer then
         raise exception 'another transaction came first' using errcode = '40001';
       end if;
       return null;
     end $$`,
    `create function public.slow_commit() returns trigger language plpgsql as $$
     begin if new.retention_class = 'slow-commit' then perform pg_sleep(1); end if; return null; end $$`,
    `create trigger fault after insert on memory.conversation_memory for each row execute function public.fault()`,
    `create constraint trigger slow_commit after insert on memory.conversation_memory deferrable initially deferred
     for each row execute function public.slow_commit()`,
  );
}

/** How many connections of the programs under test are in a transaction, idle or at work. */
export async function openTransactions(database: TestDatabase): Promise<readonly unknown[]> {
  return administer(
    database.administrator,
    `select state, query from pg_stat_activity where datname = '${database.name}' and pid <> pg_backend_pid()
       and application_name = 'context-assembly-memory' and (state like 'idle in transaction%' or state = 'active')`,
  );
}
