// Migrations and what the store says of itself (design N6, N5, D6), on an empty database of an engine.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renewIncarnation } from '../../src/store/postgres/backup.ts';
import type { Engine } from '../../src/store/postgres/connection.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import { readMigrations, sqlFolder } from '../../src/store/sql_files.ts';
import type { MigrationFile } from '../../src/store/sql_files.ts';
import type { EmbedderIdentity } from '../../src/store/store.ts';
import {
  event,
  guideline,
  hash,
  importRows,
  newTenant,
  operate,
  read,
  scope,
  testEmbedder,
  tool,
  write,
} from './harness.ts';
import { rawSession } from './pglite_session.ts';

const migrations = readMigrations('postgres');

/** A fact with its index rows, as schema 11 has them. */
const oldRows = `
  with fact as (
    insert into memory.entity_memory (tenant_id, id, subject, predicate, content, content_hash, content_json, version,
      valid_from, created_at, written_by, trust)
    values ('old', 'old_fact', 's', 'p', 'kept', '${hash('kept')}', '{}', 1, now(), now(), 'test', 'stated')
  ), term as (
    insert into memory.memory_term (tenant_id, kind, id, version, valid_from, quarantined, content_hash, terms,
      frequencies, lengths)
    values ('old', 'entity', 'old_fact', 1, now(), false, '${hash('kept')}',
      array_to_tsvector(array[memory.tenant_lexeme('old'), 'kept']), '{{0,0,0,0},{0,0,1,0}}', '{0,0,1,0}')
  ), vectors as (
    insert into memory.memory_vector (tenant_id, kind, id, version, part, valid_from, quarantined, content_hash, embedder,
      vector)
    values ('old', 'entity', 'old_fact', 1, 'text', now(), false, '${hash('kept')}', '${testEmbedder.id}', '[0,1,0,0]')
  )
  insert into memory.memory_sign (tenant_id, kind, id, version, part, valid_from, quarantined, bits)
  values ('old', 'entity', 'old_fact', 1, 'text', now(), false, binary_quantize('[0,1,0,0]'::vector))`;

/** Runs the tests of migrations on one engine; `open` gives an engine over a database that holds nothing yet. */
export function describeMigrations(name: string, open: () => Promise<Engine>): void {
  describe(`migrations on ${name}`, () => migrationTests(open));
}

function migrationTests(open: () => Promise<Engine>): void {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.close());
  const storeOf = (given: { readonly files?: readonly MigrationFile[]; readonly embedder?: EmbedderIdentity } = {}) =>
    createPostgresStore({
      engine,
      embedder: given.embedder ?? testEmbedder,
      log: () => {},
      migrations: given.files ?? migrations,
    });
  const use = (store: ReturnType<typeof storeOf>) => read(store, scope(newTenant()), (reader) => reader.guidelines());

  it('[N6] without a schema every use is refused and names the command; the state can be asked', async () => {
    const store = storeOf();
    await expect(use(store)).rejects.toMatchObject({
      code: 'schema_missing',
      message: expect.stringContaining('context-assembly-memory migrate'),
    });
    expect(await store.schemaState()).toEqual({
      applied: [],
      known: migrations.length,
      embedder: null,
      incarnation: null,
    });
  });

  it('[N6] a file that fails is rolled back whole, and what was applied before it stays', async () => {
    const [roles, memory] = migrations as [MigrationFile, MigrationFile, ...MigrationFile[]];
    const broken = { ...memory, sql: `${memory.sql}\nselect no_such_function();` };
    await expect(storeOf({ files: [roles, broken] }).migrate()).rejects.toMatchObject({ code: 'internal' });
    expect((await storeOf().schemaState()).applied).toEqual([1]);
    const half = await rawSession(engine).query(
      { role: null },
      `select to_regclass('memory.guideline_memory') as found`,
    );
    expect(half).toEqual([{ found: null }]);
  });

  it('[N6] rows of an older schema are kept for the migrations that follow', async () => {
    expect((await storeOf({ files: migrations.slice(0, 11) }).migrate()).applied).toHaveLength(11);
    await rawSession(engine).query({ role: null }, oldRows, []);
  });

  it('[N6] what is missing is applied, from two starts at once, and a second time changes nothing', async () => {
    const [one, two] = [storeOf(), storeOf()];
    const states = await Promise.all([one.migrate(), two.migrate()]);
    const all = migrations.map(({ number }) => number);
    expect(states.map((state) => state.applied)).toEqual([all, all]);
    expect(await one.migrate()).toEqual(states[0]);
    expect(await use(one)).toEqual([]);
  });

  it('[N6,D6] the vectors and terms of a store from before there could be two embedders serve as they did', async () => {
    const searched = { kinds: ['entity'], collections: null, exclude: [], limit: 5 } as const;
    const vector = Float32Array.from([0, 1, 0, 0]);
    const found = await read(storeOf(), scope('old'), async (reader) => ({
      near: await reader.searchVector(vector, 'text', searched),
      hits: (await reader.searchLexical(['kept'], searched)).hits.map(({ ref }) => ref),
    }));
    expect(found).toEqual({
      near: [{ ref: ['entity', 'old_fact', 1], cosine: 1 }],
      hits: [['entity', 'old_fact', 1]],
    });
    // Nobody knows by which analysis its terms were made.
    const counts = await operate(storeOf(), 'old', (writer) => writer.indexCounts(testEmbedder, 1));
    expect(counts).toEqual({ memories: 1, indexed: 1, analysed: 0, embedded: 1, leftOver: 0 });
    const written = await rawSession(engine).query(
      { role: 'mem_operator', tenant: 'old' },
      'select s.embedder as signs, v.embedder as vectors from memory.memory_sign s, memory.memory_vector v',
    );
    expect(written).toEqual([{ signs: testEmbedder.id, vectors: testEmbedder.id }]);
  });

  it('[N5] a restored copy is a database of its own: its incarnation and its sealing key are new', async () => {
    const store = storeOf();
    const before = { key: await store.sealingKey(), incarnation: (await store.schemaState()).incarnation };
    await renewIncarnation(engine, () => {});
    expect(await store.sealingKey()).not.toEqual(before.key);
    expect((await store.schemaState()).incarnation).not.toBe(before.incarnation);
  });

  it('[N6] a newer schema than the program knows is refused, to migrate and to use', async () => {
    const older = storeOf({ files: migrations.slice(0, -1) });
    await expect(older.migrate()).rejects.toMatchObject({ code: 'schema_newer' });
    await expect(use(older)).rejects.toMatchObject({ code: 'schema_newer' });
  });

  it('[D6] the first embedder is recorded; another one is refused with the command that re-embeds', async () => {
    expect((await storeOf().schemaState()).embedder).toEqual(testEmbedder);
    for (const embedder of [
      { id: 'another', dimensions: 4 },
      { id: testEmbedder.id, dimensions: 8 },
    ]) {
      const store = storeOf({ embedder });
      const refusal = {
        code: 'embedder_mismatch',
        message: expect.stringContaining('context-assembly-memory reembed'),
      };
      await expect(store.migrate()).rejects.toMatchObject(refusal);
      await expect(use(store)).rejects.toMatchObject(refusal);
      expect((await store.schemaState()).embedder).toEqual(testEmbedder);
    }
  });

  it('[D6] a vector of other dimensions is refused, and nothing of its write stays', async () => {
    const tenant = newTenant();
    const rule = guideline();
    const bad = { part: 'text' as const, vector: Float32Array.from([1, 0]) };
    await expect(
      write(storeOf(), scope(tenant), async (writer) => {
        const said = event();
        await writer.appendEvent(said);
        const contentHash = hash('Hello.');
        await writer.putIndex([
          {
            ref: ['conversation', said.eventId, 1],
            contentHash,
            analysis: 1,
            terms: new Map(),
            lengths: [0, 0, 0, 0],
            vectors: [bad],
            names: [],
          },
        ]);
      }),
    ).rejects.toMatchObject({ code: 'internal' });
    await importRows(storeOf(), tenant, { rows: [rule] });
    expect(await read(storeOf(), scope(tenant), (reader) => reader.tail(5))).toEqual([]);
  });

  it('[Q3] sign bits then exact gives what exact gives, where the bits hold all candidates', async () => {
    const tenant = newTenant();
    let seed = 7;
    const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648 - 0.5;
    const rows = Array.from({ length: 120 }, (_, index) => tool({ name: `t${index}` }));
    await importRows(storeOf(), tenant, { rows });
    const raw = rawSession(engine);
    const session = { role: 'mem_app', tenant, user: 'jane' } as const;
    for (const [table, column, value] of [
      ['memory_vector', 'embedder, vector', "'e', v.vector"],
      ['memory_sign', 'embedder, bits', "'e', binary_quantize(v.vector)"],
    ] as const) {
      seed = 7;
      const vectors = rows.map((row) => ({
        id: row.id,
        vector: `[${[random(), random(), random(), random()].join(',')}]`,
      }));
      const hashed = table === 'memory_vector' ? 'content_hash, ' : '';
      await raw.query(
        session,
        `insert into memory.${table} (tenant_id, kind, id, version, part, user_id, valid_from, quarantined, ${hashed}${column})
         select $1, 'entity', v.id, 1, 'text', 'jane', now(), false, ${hashed === '' ? '' : "'h', "}${value}
         from (select id, vector::vector as vector from jsonb_to_recordset($2::jsonb) as r (id text, vector text)) v`,
        [tenant, JSON.stringify(vectors)],
      );
    }
    const found = await engine.use({ requestId: 'q' }, async (connection) => {
      const text = (name: string) => readFileSync(join(sqlFolder('postgres'), 'queries', `${name}.sql`), 'utf8');
      await connection.execute('BEGIN; SET LOCAL ROLE mem_app');
      await connection.query(text('enter_read'), [tenant, 'jane', '']);
      const parameters = [
        '[0.5,0.5,0.5,0.5]',
        'text',
        ['entity'],
        null,
        null,
        'main',
        '2100-01-01T00:00:00Z',
        '[]',
        10,
        'e',
      ] as const;
      const exact = await connection.query(text('vectors_exact'), parameters);
      const bySign = await connection.query(text('vectors_by_sign'), [...parameters, 500]);
      await connection.execute('ROLLBACK');
      return { exact, bySign };
    });
    expect(found.exact).toHaveLength(10);
    expect(found.bySign).toEqual(found.exact);
  });
}
