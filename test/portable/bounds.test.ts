// Large exports and imports keep little in memory, and one that is interrupted leaves nothing (D7, N3).

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callAs, openFixture, operatorCall, scopeOf } from '../fixture.ts';
import type { Fixture } from '../fixture.ts';
import { exported, imported, linesOf, rowsIn, sealed } from './files.ts';

vi.setConfig({ testTimeout: 120_000 });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are in use once what nobody needs is gone. */
function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

describe('twenty thousand rows', () => {
  const rowCount = 20_000;
  const filler = 'The quarterly figures of the Helsinki office were read aloud once more. '.repeat(22);
  let file: Buffer;
  let before: number;
  beforeAll(async () => {
    const { header } = linesOf((await exported(fixture, 'acme')).bytes);
    const at = '2026-03-01T10:00:00.000001Z';
    const scope = { user_id: 'u', agent_id: null, thread_id: 't' };
    const provenance = { deleted_at: null, written_by: 'u', source_event_id: null, trust: 'stated' };
    const quarantine = { quarantined_at: null, quarantine_reason: null };
    // Every twentieth is a turn, which is indexed; the others are what the loop leaves behind.
    const rows = Array.from({ length: rowCount - 1 }, (_, index) => {
      const isTurn = index % 20 === 0;
      const text = isTurn ? `Turn ${index} speaks of number_${index}.` : `${index} ${filler}`;
      const row = {
        event_id: `event_${index}`,
        ...scope,
        run_id: null,
        turn_index: isTurn ? index + 1 : null,
        event_type: isTurn ? 'user_msg' : 'tool_result',
        role: isTurn ? 'user' : 'tool',
        payload: { text },
        token_cost: null,
        latency_ms: null,
        retention_class: null,
        created_at: at,
        ...provenance,
        ...quarantine,
      };
      return JSON.stringify({ table: 'conversation_memory', row });
    });
    const thread = { ...scope, next_turn_index: rowCount, created_at: at };
    file = sealed({ header, rows: [...rows, JSON.stringify({ table: 'thread', row: thread })] });
    before = heapBytes();
  });

  it('[D7] are imported and exported again while little of them is held', async () => {
    const phases = new Map<string, number>();
    const look = (_: number, what: string): void => {
      const phase = what.split(' ')[0] ?? '';
      phases.set(phase, Math.max(phases.get(phase) ?? 0, heapBytes() - before));
    };
    const { inserted } = await imported(fixture, 'large', file, { asTenant: true, onProgress: look });
    expect(inserted).toBe(rowCount);
    let written = 0;
    await fixture.operator.exportTenant(
      { ...operatorCall('large'), onProgress: look },
      { program: 'test', write: async (bytes) => void (written += bytes.length) },
    );
    // The header names another tenant and another time.
    expect(Math.abs(written - file.length)).toBeLessThan(rowCount * 100);
    expect([...phases.keys()]).toEqual(['checking', 'indexing', 'writing', 'reading']);
    for (const [phase, bytes] of phases) {
      expect({ phase, share: bytes / file.length }).toEqual({
        phase,
        share: expect.toSatisfy((share) => share < 0.25),
      });
    }
    const { manager } = fixture;
    const scope = scopeOf({ tenant: 'large', user: 'u', agent: null, thread: 't' });
    const said = await manager.recordTurn(callAs(scope), { role: 'user', text: 'One more.', runId: null });
    expect(said.turnIndex).toBe(rowCount);
  });
});

describe('an interrupted import', () => {
  it.each(['checking', 'indexing', 'writing'])('[D7] leaves nothing when it is %s', async (phase) => {
    const { bytes } = await exported(fixture, 'acme');
    const abort = new AbortController();
    const tenant = `interrupted-${phase}`;
    const onProgress = (_: number, what: string): void => {
      if (what.startsWith(phase)) abort.abort();
    };
    await expect(
      imported(fixture, tenant, bytes, { asTenant: true, signal: abort.signal, onProgress }),
    ).rejects.toMatchObject({ code: 'cancelled' });
    expect(await rowsIn(fixture, tenant)).toBe(0);
    const again = await imported(fixture, tenant, bytes, { asTenant: true });
    expect(again.inserted).toBeGreaterThan(0);
  });

  it('[D7] leaves nothing when its source fails in the middle', async () => {
    const { bytes } = await exported(fixture, 'acme');
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, bytes.length / 2);
      throw new Error('the disk is gone');
    }
    await expect(imported(fixture, 'failed', bytes, { asTenant: true, source: failing() })).rejects.toThrow('disk');
    expect(await rowsIn(fixture, 'failed')).toBe(0);
  });

  it('[D2,D7] of two imports at once one wins, and the tenant holds its rows once', async () => {
    const { bytes } = await exported(fixture, 'acme');
    const outcomes = await Promise.allSettled(
      [1, 2].map(async () => imported(fixture, 'twice', bytes, { asTenant: true })),
    );
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value.inserted > 0);
    expect(won).toHaveLength(1);
    const { rows } = linesOf((await exported(fixture, 'twice')).bytes);
    expect(rows).toEqual(linesOf(bytes).rows);
  });
});
