// The embedded engine's write-ahead log, which no process in the background keeps short (design N7).

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, Engine } from '../../src/store/postgres/connection.ts';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { logKeeper } from '../../src/store/postgres/write_ahead_log.ts';

let folder = '';
let engine: Engine;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'write-ahead-log-'));
  engine = await openEngine(join(folder, 'postgres'));
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const megabyte = 2 ** 20;

/** Logs so many megabytes, and nothing else. */
async function logMegabytes(connection: Connection, count: number): Promise<void> {
  const sql = `select pg_logical_emit_message(false, 'test', repeat('x', ${megabyte})) from generate_series(1, ${count})`;
  await connection.query(sql, []);
}

async function lengthOf(connection: Connection): Promise<number> {
  const sql = 'select (pg_current_wal_insert_lsn() - redo_lsn)::bigint as length from pg_control_checkpoint()';
  const [row] = await connection.query(sql, []);
  return Number(row?.['length']);
}

const segments = (): number =>
  readdirSync(join(folder, 'postgres', 'pg_wal')).filter((name) => name.length === 24).length;

describe('the write-ahead log of the embedded engine', () => {
  it('[N7] is cut at a commit once it is longer than the database is large, and not before', async () => {
    await engine.use({ requestId: 'test' }, async (connection) => {
      let seconds = 0;
      const keep = logKeeper(
        (sql, parameters) => connection.query(sql, parameters),
        () => 1_000 * seconds,
      );
      await logMegabytes(connection, 40);
      seconds = 2;
      await keep();
      expect(await lengthOf(connection)).toBeGreaterThan(40 * megabyte);
      await logMegabytes(connection, 60);
      await keep();
      expect(await lengthOf(connection)).toBeGreaterThan(100 * megabyte);
      seconds = 4;
      await keep();
      expect(await lengthOf(connection)).toBeLessThan(megabyte);
    });
    // Segments of 16 MiB that are done are removed, not kept for later.
    expect(segments()).toBeLessThanOrEqual(3);
  });

  it('[N7] does not fail what was committed when it cannot be looked at', async () => {
    let looks = 0;
    const failing: Connection['query'] = () => {
      looks += 1;
      return Promise.reject(new Error('the disk is full'));
    };
    let seconds = 0;
    const keep = logKeeper(failing, () => 1_000 * seconds);
    seconds = 2;
    await keep();
    await keep();
    expect(looks).toBe(1);
  });
});
