// What only a memory in a folder can do: a database server has tools of its own for it.

import type { Config } from '../config.ts';
import { MemoryError } from '../model/errors.ts';

/** The refusal of a copy where the database has tools of its own. */
export function serverCopyRefusal(): MemoryError {
  return new MemoryError(
    'backup_refused',
    'This memory is on a database server, which is copied by its own tools: use pg_dump and pg_restore, or what the ' +
      'service offers.',
  );
}

/** Throws `backup_refused` where a server keeps the memory. */
export function refuseServerCopy(config: Config): void {
  if (config.server !== null) throw serverCopyRefusal();
}
