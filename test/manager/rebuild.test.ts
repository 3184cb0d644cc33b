// Derived data made anew while the memory is in use (design D3, D6): another embedder, another analysis, or all of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManager } from '../../src/manager/create_manager.ts';
import type { MemoryManager, OperatorCall, OperatorManager, Reembedding } from '../../src/manager/manager.ts';
import { createOperatorManager } from '../../src/manager/operator.ts';
import type { ManagerParts } from '../../src/manager/parts.ts';
import type { Embedder } from '../../src/embed/embedder.ts';
import { instant } from '../../src/model/time.ts';
import { analysisVersion } from '../../src/retrieval/version.ts';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { callAs, openFixture, operatorCall, scopeOf } from '../fixture.ts';
import type { Fixture } from '../fixture.ts';
import { hashedEmbedder } from '../hashed_embedder.ts';
import type { RawSession } from '../store/harness.ts';
import { rawSession } from '../store/pglite_session.ts';

/** A process with an embedder of its own on the shared database. */
interface Process {
  readonly manager: MemoryManager;
  readonly operator: OperatorManager;
}

const [tenant, other] = ['globex', 'initech'];
const jane = scopeOf({ tenant });
const evaluationTime = instant('2100-01-01T00:00:00.000000Z');

let fixture: Fixture;
let raw: RawSession;
/** Starts a process: `anyEmbedder` as `reembed` does. */
let start: (embedder: Embedder, manner?: { readonly anyEmbedder: boolean }) => Process;
beforeAll(async () => {
  const engine = await openEngine(null);
  const base = { engine, log: () => {}, migrations: readMigrations('postgres') };
  raw = rawSession(engine);
  fixture = await openFixture({
    seeds: ['globex.json'],
    async openStore({ embedder }) {
      const store = createPostgresStore({ ...base, embedder });
      await store.migrate();
      return store;
    },
  });
  start = (embedder, { anyEmbedder } = { anyEmbedder: false }) => {
    const store = createPostgresStore({ ...base, embedder, anyEmbedder });
    const parts: ManagerParts = { ...fixture.parts, store, embedder: async () => embedder, clockMs: slowClock() };
    return { manager: createManager(parts), operator: createOperatorManager(parts) };
  };
  await fixture.operator.apply(operatorCall(other), 'facts', {
    entities: [0, 1, 2].map((place) => ({ subject: `item ${place}`, predicate: 'is', content: `Number ${place}.` })),
  });
  for (let turn = 0; turn < 8; turn += 1) await say(fixture.manager, `Turn ${turn}: recall rose by ${turn}.`);
  // The second embedder knows nothing in it.
  await say(fixture.manager, '…');
});
afterAll(() => fixture.close());

const say = (manager: MemoryManager, text: string) =>
  manager.recordTurn(callAs(jane), { role: 'user', text, runId: null });

/** What a search finds: the seated memories of a window, at a time that does not go on. */
async function found({ manager }: Pick<Process, 'manager'>): Promise<readonly string[]> {
  const question = { question: 'What does Helios-RAG score on BEIR?', intent: null, at: evaluationTime, model: null };
  const { manifest } = await manager.assembleWindow(callAs(scopeOf({ tenant, thread: 'elsewhere' })), question);
  return manifest.memories.map(({ id, scores }) => `${id} ${JSON.stringify(scores)}`);
}

/** Aborts the call after so many words of progress. */
/** A clock by which each step takes a second, so that each is told of. */
function slowClock(): () => number {
  let seconds = 0;
  return () => (seconds += 1) * 1000;
}

function interrupted(after: number): OperatorCall {
  const interruption = new AbortController();
  let told = 0;
  return {
    ...operatorCall(tenant),
    signal: interruption.signal,
    onProgress: () => {
      told += 1;
      if (told === after) interruption.abort();
    },
  };
}

/** All that is derived of a tenant, by table; who a count was kept for is nobody's matter. */
async function derivedOf(of: string): Promise<Readonly<Record<string, unknown>>> {
  const tables = ['memory_term', 'memory_vector', 'memory_sign', 'memory_name', 'token_count'];
  const rows = await Promise.all(
    tables.map((table) =>
      raw.query(
        { role: 'mem_operator', tenant: of },
        `select md5((to_jsonb(t) - 'user_id' - 'user_key')::text) as row from memory.${table} t order by 1`,
      ),
    ),
  );
  return Object.fromEntries(tables.map((table, place) => [table, rows[place]?.map(({ row }) => row)]));
}

const embeddersOf = async (of: string) =>
  (
    await raw.query(
      { role: 'mem_operator', tenant: of },
      'select distinct embedder from memory.memory_vector union select distinct embedder from memory.memory_sign order by 1',
    )
  ).map(({ embedder }) => embedder);

describe('the index of an earlier analysis', () => {
  const plain = { drop: false, vectors: false, dryRun: false };

  it('[D3] serves as it is, is counted, and is made anew where it is old, to the same rows', async () => {
    const { operator } = fixture;
    const before = await derivedOf(tenant);
    await raw.query(
      { role: null },
      "update memory.memory_term set analysis = 0 where tenant_id = 'globex' and kind = 'entity'",
    );
    await raw.query({ role: null }, "delete from memory.memory_term where tenant_id = 'globex' and kind = 'workflow'");
    expect(await derivedOf(tenant)).not.toEqual(before);
    const [entities, workflows] = [await countOf('entity_memory'), await countOf('workflow_memory')];
    const counted = await operator.reindex(operatorCall(tenant), { ...plain, dryRun: true });
    expect(counted).toMatchObject({ analysis: analysisVersion, older: entities, missing: workflows, written: 0 });
    await found(fixture);
    const made = await operator.reindex(operatorCall(tenant), plain);
    expect(made).toMatchObject({ older: 0, missing: 0, written: entities + workflows, unreadable: 0 });
    expect(await derivedOf(tenant)).toEqual(before);
    expect(await operator.reindex(operatorCall(tenant), plain)).toMatchObject({ written: 0 });
  });

  it('[D3] all of it is dropped and made again by one command, and every search finds the same', async () => {
    const before = { rows: await derivedOf(tenant), others: await derivedOf(other), found: await found(fixture) };
    const { operator } = start(await fixture.parts.embedder());
    await expect(operator.reindex(interrupted(2), { ...plain, drop: true })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(await derivedOf(tenant)).not.toEqual(before.rows);
    expect(await derivedOf(other)).toEqual(before.others);
    // What an interrupted run had dropped is missing, and needs no other command.
    const made = await fixture.operator.reindex(operatorCall(tenant), plain);
    expect(made).toMatchObject({ older: 0, missing: 0 });
    expect(await found(fixture)).toEqual(before.found);
    const whole = await fixture.operator.reindex(operatorCall(tenant), { ...plain, drop: true });
    expect(whole).toMatchObject({ older: 0, missing: 0, written: whole.memories });
    expect(await derivedOf(tenant)).toEqual(before.rows);
    expect(await found(fixture)).toEqual(before.found);
  });

  const countOf = async (table: string) =>
    (await raw.query({ role: 'mem_operator', tenant }, `select 1 from memory.${table}`)).length;
});

describe('another embedder', () => {
  const hashed = hashedEmbedder();
  const reembed = (call: OperatorCall, { embedder = hashed, dryRun = false } = {}): Promise<Reembedding> =>
    start(embedder, { anyEmbedder: true }).operator.reembed(call, { dryRun });
  let before: readonly string[];
  beforeAll(async () => {
    before = await found(fixture);
  });

  it('[D6] a dry run counts and writes nothing', async () => {
    const rows = await derivedOf(tenant);
    const counted = await reembed(operatorCall(tenant), { dryRun: true });
    expect(counted).toMatchObject({ outcome: 'counted', embedded: 0, written: 0, removed: 0 });
    expect(counted.memories).toBeGreaterThan(30);
    expect(await derivedOf(tenant)).toEqual(rows);
  });

  it('[D6] half done it changes no answer, is refused to all who have the new embedder, and is gone on with', async () => {
    let texts = 0;
    const failing = hashedEmbedder(hashed.id, (more) => {
      texts += more;
      if (texts > 40) throw new Error('the service is away');
    });
    await expect(reembed(operatorCall(tenant), { embedder: failing })).rejects.toThrow('the service is away');
    expect(await found(fixture)).toEqual(before);
    await expect(found(start(hashed))).rejects.toMatchObject({ code: 'embedder_mismatch' });
    const half = await reembed(operatorCall(tenant), { dryRun: true });
    expect(half.embedded).toBeGreaterThan(0);
    // A thread goes on, and with it the neighbours of its last turns change.
    await say(fixture.manager, 'Said while another embedder was at work.');
    const done = await reembed(operatorCall(tenant));
    expect(done.written).toBeLessThanOrEqual(half.memories - half.embedded + 4);
    expect(done.memories).toBeGreaterThan(half.memories);
    expect(done.embedded).toBe(done.memories);
  });

  it('[D6] ready in one tenant, it waits for the others, and tells nothing of them', async () => {
    const waiting = await reembed(operatorCall(tenant));
    expect(waiting).toMatchObject({ outcome: 'waiting', written: 0, removed: 0 });
    expect(waiting.memories).toBe(waiting.embedded);
    expect(JSON.stringify(waiting)).not.toContain(other);
    const own = await raw.query({ role: 'mem_operator', tenant }, 'select 1 from memory.indexable');
    expect(waiting.memories).toBe(own.length);
    // What the old embedder writes by then lacks the new one's vectors again.
    await say(fixture.manager, 'Said while it waited.');
    const counted = await reembed(operatorCall(tenant), { dryRun: true });
    expect(counted.memories - counted.embedded).toBe(3);
  });

  it('[D6] whoever is ready last changes over; what the old embedder wrote meanwhile is embedded first', async () => {
    expect(await reembed(operatorCall(other))).toMatchObject({ outcome: 'waiting' });
    expect(await reembed(operatorCall(tenant))).toMatchObject({ outcome: 'switched', written: 3 });
    expect(await embeddersOf(tenant)).toEqual([hashed.id]);
    expect(await embeddersOf(other)).toHaveLength(2);
    expect(await reembed(operatorCall(other))).toMatchObject({ outcome: 'current', written: 0, leftOver: 0 });
    expect(await embeddersOf(other)).toEqual([hashed.id]);
  });

  it('[D6] processes with the old embedder are told so: they find nothing less, and write nothing', async () => {
    const refusal = { code: 'embedder_mismatch', message: expect.stringContaining(hashed.id) };
    await expect(found(fixture)).rejects.toMatchObject(refusal);
    const rows = await derivedOf(tenant);
    await expect(say(fixture.manager, 'Said too late.')).rejects.toMatchObject(refusal);
    expect(await derivedOf(tenant)).toEqual(rows);
    await expect(
      fixture.operator.reindex(operatorCall(tenant), { drop: false, vectors: true, dryRun: false }),
    ).rejects.toMatchObject(refusal);
    const now = start(hashed);
    expect((await found(now)).length).toBeGreaterThan(3);
    await say(now.manager, 'Said with the new one.');
  });

  it('[D3,D6] what it made is what the new embedder makes of the canonical rows', async () => {
    const { operator } = start(hashed);
    // Marks of texts in which nothing is known serve the change alone.
    await raw.query({ role: null }, 'delete from memory.memory_vector where vector is null');
    const rows = await derivedOf(tenant);
    await operator.reindex(operatorCall(tenant), { drop: true, vectors: false, dryRun: false });
    expect(await derivedOf(tenant)).toEqual(rows);
  });

  it('[D6] a turn that comes while its neighbours are measured is one of theirs in the end', async () => {
    const { manager } = start(hashed);
    const twin = hashedEmbedder('twin');
    let turns = 0;
    const interrupting: Embedder = {
      ...twin,
      async embed(texts, options) {
        if (texts.some((text) => text.includes('recall rose')) && turns < 2) {
          turns += 1;
          await say(manager, `Said in between, ${turns}.`);
        }
        return await twin.embed(texts, options);
      },
    };
    const made = await reembed(operatorCall(tenant), { embedder: interrupting });
    expect(made).toMatchObject({ outcome: 'waiting', embedded: made.memories });
    expect(turns).toBe(2);
    const differing = await raw.query(
      { role: 'mem_operator', tenant },
      `select own.id from memory.memory_vector own
       full join (select * from memory.memory_vector where embedder = 'twin' and vector is not null) other
         on other.kind = own.kind and other.id = own.id and other.part = own.part
       where own.embedder = $1 and own.vector is not null and own.vector is distinct from other.vector`,
      [hashed.id],
    );
    expect(differing).toEqual([]);
  });

  it('[D6] another one that was begun and given up leaves nothing when the store’s own runs', async () => {
    const abandoned = hashedEmbedder('another');
    await expect(reembed(interrupted(1), { embedder: abandoned })).rejects.toMatchObject({ code: 'cancelled' });
    expect(await embeddersOf(tenant)).toEqual([abandoned.id, hashed.id, 'twin']);
    const cleared = await reembed(operatorCall(tenant));
    expect(cleared).toMatchObject({ outcome: 'current', leftOver: 0 });
    expect(cleared.removed).toBeGreaterThan(0);
    expect(await embeddersOf(tenant)).toEqual([hashed.id]);
  });
});
