// Stores for tests of replay, with statements beside them, and small tenants that no other test shares.

import { randomUUID } from 'node:crypto';
import type { MemoryManager, OperatorCall, ToolOutcome } from '../../src/manager/manager.ts';
import { rowId, type RowId } from '../../src/model/ids.ts';
import type { Replayed } from '../../src/model/replay.ts';
import type { Manifest } from '../../src/model/manifest.ts';
import type { Scope } from '../../src/model/scope.ts';
import { reportTo } from '../../src/store/problem.ts';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import { openServerEngine } from '../../src/store/postgres/server.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import { callAs, openFixture, operatorCall, projectJson, scopeOf, type Fixture } from '../fixture.ts';
import type { RawSession } from '../store/harness.ts';
import { rawSession } from '../store/pglite_session.ts';
import { openStoreOnServer, testLimits } from '../store/server_session.ts';

/** A store with its managers, and statements beside it. */
export interface ReplayStore extends Fixture {
  readonly raw: RawSession;
}

/** On the embedded engine, in memory. */
export async function openEmbedded(): Promise<ReplayStore> {
  const engine = await openEngine(null);
  const fixture = await openFixture({
    seeds: [],
    openStore: async ({ embedder, log }) => {
      const store = createPostgresStore({
        engine,
        embedder,
        log: reportTo(log),
        migrations: readMigrations('postgres'),
      });
      await store.migrate();
      return store;
    },
  });
  return { ...fixture, raw: rawSession(engine) };
}

/** On a database of its own of the run's server. */
export async function openServer(): Promise<ReplayStore> {
  let administrator = '';
  const fixture = await openFixture({
    seeds: [],
    openStore: async (made) => {
      const store = await openStoreOnServer(made);
      administrator = store.database.administrator;
      return store;
    },
  });
  const engine = await openServerEngine(administrator, { limits: testLimits, log: () => {}, purpose: 'migrate' });
  return {
    ...fixture,
    raw: rawSession(engine),
    async close() {
      await Promise.all([fixture.close(), engine.close()]);
    },
  };
}

/** A tenant of its own: jane's scope in it, and what a test does there. */
export interface World {
  readonly tenant: string;
  readonly jane: Scope;
  readonly manager: MemoryManager;
  readonly operator: OperatorCall;
  /** Writes rows as `apply` would. */
  apply(file: object): Promise<void>;
  window(question: string, as?: Scope): Promise<Manifest>;
  /** A call that returns memory. */
  call(tool: string, args: object, as?: Scope): Promise<Manifest>;
  /** The same, or null where the loop of the scope's thread is spent. */
  callIfLeft(tool: string, args: object, as?: Scope): Promise<Manifest | null>;
  replay(manifest: Manifest, as?: Scope): Promise<Replayed['result']>;
  replayAsOperator(manifest: Manifest): Promise<Replayed['result']>;
  /** A statement as the engine's own login; `$1` is the tenant. */
  sql(
    text: string,
    ...more: readonly (string | number | null)[]
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

let profile: unknown = null;

/** Makes a tenant with the default profile and these rows. */
export async function newWorld(store: ReplayStore, rows: object = {}): Promise<World> {
  profile ??= await projectJson('seeds/default_profile.json');
  const tenant = `tenant-${randomUUID()}`;
  const operator = operatorCall(tenant);
  const jane = scopeOf({ tenant, user: 'jane', agent: null, thread: 'main', roles: ['reader'] });
  const { manager } = store;
  await store.operator.init(operator, profile);
  const idOf = (manifest: Manifest): RowId => rowId(manifest.manifest_id);
  const world: World = {
    tenant,
    jane,
    manager,
    operator,
    async apply(file) {
      await store.operator.apply(operator, 'rows.json', file);
    },
    async window(question, as = jane) {
      const asked = { question, intent: null, at: null, model: null };
      return (await manager.assembleWindow(callAs(as), asked)).manifest;
    },
    async call(tool, args, as = jane) {
      const manifest = await world.callIfLeft(tool, args, as);
      if (manifest === null) throw new Error('the call returned no memory');
      return manifest;
    },
    callIfLeft: async (tool, args, as = jane) =>
      manifestOf(await manager.callTool(callAs(as), tool, args, async () => ({ outcome: 'unsupported' }))),
    replay: async (manifest, as = jane) => (await manager.replay(callAs(as), idOf(manifest))).result,
    replayAsOperator: async (manifest) => (await store.operator.replay(operator, idOf(manifest))).result,
    sql: (text, ...more) => store.raw.query({ role: null }, text, [tenant, ...more]),
  };
  await world.apply(rows);
  return world;
}

function manifestOf(outcome: ToolOutcome): Manifest | null {
  return outcome.kind === 'memory' || outcome.kind === 'shaped' ? outcome.manifest : null;
}

/** A tenant's usual rows: a claim, two other facts, a workflow, a document of two passages. */
export const usualRows = {
  guidelines: [{ guideline_key: 'tone', guideline_value: 'Be brief.' }],
  persona: [{ persona_key: 'role', persona_value: 'analyst', user_id: 'jane' }],
  entities: [
    { subject: 'model:helios', predicate: 'accuracy', content: 'Helios reaches 0.92 on the benchmark.', value: 0.92 },
    { subject: 'model:borealis', predicate: 'accuracy', content: 'Borealis reaches 0.81 on the benchmark.' },
    { subject: 'model:helios', predicate: 'owner', content: 'Helios is owned by the search team.', user_id: 'jane' },
  ],
  workflows: [
    { workflow_name: 'run_benchmark', description: 'Measure a model on the benchmark.', steps: ['Load.', 'Run.'] },
  ],
  documents: [
    {
      collection: 'papers',
      title: 'The Helios paper',
      source_uri: 'https://papers.example/helios',
      text: 'Helios is a retrieval model for the benchmark.\n\nIts accuracy was measured three times on the benchmark.',
    },
  ],
};

/** A correction of the usual claim. */
export const correction = {
  entities: [
    { subject: 'model:helios', predicate: 'accuracy', content: 'Helios reaches 0.78 on the benchmark.', value: 0.78 },
  ],
};

export const usualQuestion = 'What accuracy does Helios reach on the benchmark?';
