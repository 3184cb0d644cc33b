// A seeded store in memory is made once a run of the tests: the next fixture with the same seeds opens a copy of it.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { reportTo, type StoreLog } from '../../src/store/problem.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import type { EmbedderIdentity, Store } from '../../src/store/store.ts';

/** The folder of a run's copies; the workers of the run read it. */
const folderVariable = 'TEST_KEPT_COPIES';

/** Before the tests: a folder for the copies, which goes with the run. */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'context-copies-'));
  process.env[folderVariable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The copy of a store with these seeds. */
interface KeptCopy {
  /** Undefined where nobody has made one yet. */
  open(made: { readonly embedder: EmbedderIdentity; readonly log: StoreLog }): Promise<Store | undefined>;
  /** Keeps a store as it is now. */
  keep(store: Store): Promise<void>;
}

/** Where what is made of these words is kept for the other tests of a run; null outside of one. */
export function keptFile(words: readonly string[]): string | null {
  const folder = process.env[folderVariable];
  return folder === undefined ? null : join(folder, createHash('sha256').update(words.join('\n')).digest('hex'));
}

/** Null outside a run of the tests. A copy has its original's incarnation: it is for tests that compare no databases. */
export function keptCopy(seeds: readonly string[]): KeptCopy | null {
  const file = keptFile(seeds);
  if (file === null) return null;
  return {
    async open({ embedder, log }) {
      if (!existsSync(file)) return undefined;
      const engine = await openEngine(null, undefined, new Uint8Array(readFileSync(file)));
      return createPostgresStore({ engine, embedder, log: reportTo(log), migrations: readMigrations('postgres') });
    },
    async keep(store) {
      if (store.copy === undefined) throw new Error('the store of a fixture cannot be copied');
      const { tar } = await store.copy({ requestId: 'kept-copy' });
      // Two workers may make the same one at once: whichever comes last leaves it whole.
      const unfinished = `${file}.${process.pid}`;
      writeFileSync(unfinished, tar);
      renameSync(unfinished, file);
    },
  };
}
