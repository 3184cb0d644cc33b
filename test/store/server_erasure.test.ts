// Erasure beside writers on a PostgreSQL server (design E1, N3): in either order, nothing that is derived slips in behind.

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { userId } from '../../src/model/ids.ts';
import type { MemoryError } from '../../src/model/errors.ts';
import type { Ref } from '../../src/model/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { dump } from './dump.ts';
import type { OpenedStore, RawSession } from './harness.ts';
import {
  document,
  entity,
  entry,
  event,
  hash,
  importRows,
  newId,
  newTenant,
  operate,
  operator,
  options,
  run,
  scope,
  turn,
  write,
} from './harness.ts';
import { openOnServer } from './server_session.ts';
import { describeOnServer } from './server_tests.ts';

const canary = 'zqcanary';
const jane = userId('jane');

/** What a writer is about to derive from. */
interface Sources {
  readonly fact: Ref;
  readonly said: Ref;
  readonly text: string;
}

/** Ways to write what is derived, as whoever does it. The text that they write holds the canary. */
const derivedWrites: readonly (readonly [
  name: string,
  act: (store: Store, tenant: string, sources: Sources, hold: () => Promise<void>) => Promise<unknown>,
])[] = [
  [
    'compressions',
    (store, tenant, { fact, text }, hold) =>
      write(store, scope(tenant), async (writer) => {
        const made = { id: newId(), source: fact, sourceHash: hash(text), text: canary, tokens: 2 };
        await writer.putCompressions([{ ...made, model: 'm', promptVersion: '1' }]);
        await hold();
      }),
  ],
  [
    'token counts',
    (store, tenant, { fact, text }, hold) =>
      write(store, scope(tenant), async (writer) => {
        const tokens = { full: 9 };
        await writer.putTokenCounts([
          { ref: fact, contentHash: hash(text), tokens, rendererVersion: canary, encoding: 'e' },
        ]);
        await hold();
      }),
  ],
  [
    'index rows',
    (store, tenant, { fact, text }, hold) =>
      operate(store, tenant, async (writer) => {
        await writer.putIndex([entry(fact, text, { names: [canary], vector: [1, 0, 0, 0] })]);
        await hold();
      }),
  ],
  [
    'an answer and its provenance',
    (store, tenant, { fact }, hold) =>
      write(store, scope(tenant, 'sam'), async (writer) => {
        const eventId = newId();
        await writer.appendEvent(event({ eventId, eventType: 'model_msg', payload: { text: canary } }));
        await writer.requireSources([fact]);
        await writer.addProvenance([{ derived: ['conversation', eventId, 1], source: fact, relation: 'mentions' }]);
        await hold();
      }),
  ],
  [
    'a window with its request',
    (store, tenant, { fact }, hold) =>
      write(store, scope(tenant, 'sam'), async (writer) => {
        const [manifestId, opened] = [newId('manifest'), run()];
        await writer.openRun(opened);
        await writer.requireSources([fact]);
        const own = { role: 'system', runId: opened.runId } as const;
        const manifest = { manifest: { manifest_id: manifestId } };
        const request = { manifest_id: manifestId, request: canary };
        await writer.appendEvent(
          event({ ...own, eventId: manifestId, eventType: 'context_manifest', payload: manifest }),
        );
        await writer.appendEvent(event({ ...own, eventType: 'request', payload: request }));
        await writer.addProvenance([
          { derived: ['conversation', manifestId, 1], source: fact, relation: 'used_in_window' },
        ]);
        await hold();
      }),
  ],
  [
    'a fact that a user promotes',
    (store, tenant, { said }, hold) =>
      write(store, scope(tenant), async (writer) => {
        await writer.putVersion(
          entity({ userId: jane, content: canary, sourceEventId: said[1], subject: 'own' }),
          0,
          [],
        );
        await hold();
      }),
  ],
];

/** What an operator brings: it is found by its provenance when it came first, and is a new row when it came later. */
const operatorWrites: readonly (readonly [
  name: string,
  act: (store: Store, tenant: string, sources: Sources, hold: () => Promise<void>) => Promise<unknown>,
])[] = [
  [
    'an import',
    (store, tenant, { said, fact }, hold) =>
      operate(store, tenant, async (writer) => {
        const row = entity({ content: canary, sourceEventId: said[1], subject: 'imported' });
        const paper = document({ title: canary });
        const provenance = [{ derived: ['document', paper.id, 1], source: fact, relation: 'derived_from' }] as const;
        await writer.importRows({ rows: [row, paper], provenance, links: [], index: [] });
        await hold();
      }),
  ],
  [
    'an applied version',
    (store, tenant, { said }, hold) =>
      operate(store, tenant, async (writer) => {
        await writer.putVersion(entity({ content: canary, sourceEventId: said[1], subject: 'applied' }), 0, []);
        await hold();
      }),
  ],
];

describeOnServer('erasure beside writers', () => {
  let opened: OpenedStore & { readonly raw: RawSession };
  let eraser: pg.Client;
  beforeAll(async () => {
    const made = await openOnServer();
    if (made.raw === null) throw new Error('the server has raw statements');
    opened = { ...made, raw: made.raw };
    eraser = new pg.Client({ connectionString: made.administrator });
    await eraser.connect();
  });
  afterAll(async () => {
    await eraser.end();
    await opened.store.close();
  });

  /** A shared fact that came of what jane said; whoever shows it depends on her. */
  async function given(): Promise<{ readonly tenant: string; readonly sources: Sources }> {
    const tenant = newTenant();
    const said = turn();
    const fact = entity({ sourceEventId: said.id });
    await importRows(opened.store, tenant, { rows: [said, fact] });
    const sources: Sources = {
      fact: ['entity', fact.id, 1],
      said: ['conversation', said.id, 1],
      text: fact.content,
    };
    return { tenant, sources };
  }

  const rowsWithCanary = async (tenant: string): Promise<readonly string[]> =>
    [...(await dump(opened.raw, tenant)).values()].flat().filter((row) => row.includes(canary));
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const erase = (tenant: string) =>
    opened.store.erase(operator(tenant), { ...options(), dryRun: false }, { kind: 'user', userId: jane });

  it.each([...derivedWrites, ...operatorWrites])('[E1] %s written first are waited for and go too', async (_, act) => {
    const { tenant, sources } = await given();
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    let reached = (): void => {};
    const written = new Promise<void>((resolve) => (reached = resolve));
    const writing = act(opened.store, tenant, sources, async () => {
      reached();
      await gate;
    });
    await Promise.race([written, writing]);
    let ended = false;
    const erasing = erase(tenant).finally(() => (ended = true));
    await pause(100);
    expect(ended).toBe(false);
    release();
    await writing;
    expect((await rowsWithCanary(tenant)).length + (ended ? 1 : 0)).toBeGreaterThan(0);
    await erasing;
    expect(await rowsWithCanary(tenant)).toEqual([]);
  });

  it.each(derivedWrites)('[E1] %s that come second find their source gone and write nothing', async (_, act) => {
    const { tenant, sources } = await given();
    await eraser.query('begin; set local role mem_operator');
    await eraser.query("select set_config('memory.tenant_id', $1, true)", [tenant]);
    await eraser.query('select memory.erase($1::jsonb, false)', [JSON.stringify({ kind: 'user', user_id: 'jane' })]);
    let ended = false;
    const writing = act(opened.store, tenant, sources, async () => {})
      .catch((error: unknown) => error)
      .finally(() => (ended = true));
    await pause(100);
    expect(ended).toBe(false);
    await eraser.query('commit');
    const outcome = await writing;
    if (outcome instanceof Error) expect((outcome as MemoryError).code).toBe('version_conflict');
    expect(await rowsWithCanary(tenant)).toEqual([]);
  });

  it('[E1] two erasures at once both end, and other tenants write meanwhile', async () => {
    const [one, other] = [await given(), await given()];
    await Promise.all([
      erase(one.tenant),
      erase(one.tenant),
      ...[1, 2, 3].map(() => write(opened.store, scope(other.tenant), (writer) => writer.appendEvent(event()))),
    ]);
    const events = await opened.raw.query(
      { role: null },
      `select deletion_scope from memory.deletion_events where tenant_id = $1`,
      [one.tenant],
    );
    expect(events).toHaveLength(1);
  });
});
