// What is answered from memory is what the statements answer, to the last bit, after whatever was written.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentId, threadId, userId } from '../../../src/model/ids.ts';
import type { Ref, SeatableType } from '../../../src/model/memory.ts';
import { instant } from '../../../src/model/time.ts';
import { createResidents } from '../../../src/store/resident/residents.ts';
import type { SearchFilter, VectorPart } from '../../../src/store/search_values.ts';
import type { Store } from '../../../src/store/store.ts';
import type { IndexEntry } from '../../../src/store/written_rows.ts';
import {
  document,
  entity,
  entry,
  importRows,
  newId,
  newTenant,
  operate,
  operator,
  options,
  read,
  scope,
  summary,
  testEmbedder,
  turn,
  workflow,
} from '../harness.ts';
import { openWatchedEngine, searchStatements } from './watched_engine.ts';
import type { WatchedEngine } from './watched_engine.ts';

const kinds = ['entity', 'workflow', 'summary', 'conversation', 'chunk'] as const satisfies readonly SeatableType[];
const words = ['apple', 'pear', 'fig', 'plum', 'quince'];

let watched: WatchedEngine;
let fromMemory: Store;
let byStatements: Store;

beforeAll(async () => {
  watched = await openWatchedEngine();
  fromMemory = watched.storeWith(createResidents('eager'));
  byStatements = watched.storeWith(null);
});
afterAll(() => fromMemory.close());

interface Search {
  readonly user: string;
  readonly agent: string | null;
  readonly thread: string;
  readonly at: string;
  readonly terms: readonly string[];
  readonly vector: readonly number[];
  readonly part: VectorPart;
  readonly filter: Omit<SearchFilter, 'exclude'>;
  /** Places of refs that are left out. */
  readonly exclude: readonly number[];
}

function asked(store: Store, { tenant, rows }: Written, search: Search) {
  const as = scope(tenant, search.user, { agent: search.agent, thread: search.thread });
  const exclude = rows.length === 0 ? [] : search.exclude.map((place) => rows[place % rows.length]!.ref);
  return read(
    store,
    as,
    async (reader) => ({
      lexical: await reader.searchLexical(search.terms, { ...search.filter, exclude }),
      near: await reader.searchVector(Float32Array.from(search.vector), search.part, { ...search.filter, exclude }),
    }),
    search.at,
  );
}

/** What both stores answer, and which statements of a search the one ran that is to answer from memory. */
async function bothAnswers(written: Written, search: Search) {
  let answer: unknown;
  const ran = await watched.ran(async () => {
    answer = await asked(fromMemory, written, search);
  });
  return {
    fromMemory: { answer, statements: ran.filter((name) => searchStatements.some((one) => one === name)) },
    byStatements: { answer: await asked(byStatements, written, search), statements: [] },
  };
}

const vectors = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 4, maxLength: 4 });
const texts = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((some) => some.join(' '));
const owners = fc.constantFrom(null, 'jane', 'sam');

const searches: fc.Arbitrary<Search> = fc.record({
  user: fc.constantFrom('jane', 'sam'),
  agent: fc.constantFrom(null, 'scout'),
  thread: fc.constantFrom('main', 'old'),
  at: fc.constantFrom('2026-02-15T00:00:00Z', '2026-06-01T00:00:00Z', '2100-01-01T00:00:00Z'),
  terms: fc.array(fc.constantFrom(...words, 'absent', ''), { maxLength: 4 }),
  vector: vectors,
  part: fc.constantFrom('text', 'context'),
  filter: fc.record({
    kinds: fc.oneof(fc.constant([...kinds]), fc.subarray([...kinds], { minLength: 1 })),
    collections: fc.constantFrom(null, ['papers'], []),
    limit: fc.constantFrom(0, 2, 50),
  }),
  exclude: fc.array(fc.nat(50), { maxLength: 3 }),
});

const writes = fc.oneof(
  fc.record({
    write: fc.constant('import' as const),
    kind: fc.constantFrom(...kinds),
    owner: owners,
    agent: fc.constantFrom(null, null, 'scout'),
    thread: fc.constantFrom(null, 'main', 'old'),
    until: fc.constantFrom(null, null, '2026-05-01T00:00:00Z'),
    text: texts,
    vector: vectors,
  }),
  fc.record({ write: fc.constant('reindex' as const), place: fc.nat(50), text: texts, vector: vectors }),
  fc.record({ write: fc.constant('correct' as const), place: fc.nat(50), text: texts, vector: vectors }),
  fc.record({ write: fc.constant('quarantine' as const), place: fc.nat(50), odd: fc.boolean() }),
  fc.record({ write: fc.constant('retire' as const), place: fc.nat(50) }),
  fc.record({ write: fc.constant('erase' as const), place: fc.nat(50) }),
);
type Write = typeof writes extends fc.Arbitrary<infer Value> ? Value : never;

function indexed(ref: Ref, text: string, vector: readonly number[], content = text): IndexEntry {
  const made = entry(ref, text, { vector, contentHash: entry(ref, content).contentHash });
  const context = Float32Array.from([vector[1]!, vector[0]!, vector[3]!, vector[2]!]);
  return { ...made, vectors: [...made.vectors, { part: 'context', vector: context }] };
}

/** What stands in one tenant, written by steps that were drawn. */
interface Written {
  readonly tenant: string;
  readonly rows: { readonly ref: Ref; readonly text: string; readonly row: ReturnType<typeof rowOf> }[];
}

// By the store of the statements: the other one learns of it from the database alone.
async function apply(step: Write, { tenant, rows }: Written): Promise<void> {
  const operating = <T>(use: Parameters<typeof operate<T>>[2]) => operate(byStatements, tenant, use);
  if (step.write === 'import') {
    const row = rowOf(step);
    const ref: Ref = row.type === 'document' ? ['chunk', row.chunks[0]!.id, 1] : [row.type, row.id, 1];
    rows.push({ ref, row, text: step.text });
    await importRows(byStatements, tenant, { rows: [row], index: [indexed(ref, step.text, step.vector)] });
    return;
  }
  const old = rows[step.place % Math.max(1, rows.length)];
  if (old === undefined) return;
  switch (step.write) {
    case 'reindex':
      return operating((writer) => writer.putIndex([indexed(old.ref, step.text, step.vector, old.text)]));
    case 'quarantine':
      return operating((writer) => writer.quarantine(old.ref, step.odd ? 'odd' : null));
    case 'correct': {
      if (old.row.type !== 'entity') return;
      const row = { ...old.row, id: newId(), content: step.text, validFrom: null, validUntil: null };
      await operating(async (writer) => {
        const active = await writer.activeVersion(row);
        if (active === null) return;
        const ref: Ref = ['entity', row.id, active.ref[2] + 1];
        await writer.putVersion(row, active.ref[2], [indexed(ref, step.text, step.vector)]);
        rows.push({ ref, row, text: step.text });
      });
      return;
    }
    case 'retire': {
      const { row } = old;
      if (row.type === 'document') await operating((writer) => writer.retireDocument(row));
      return;
    }
    case 'erase':
      if (old.row.type !== 'document' && old.row.type !== 'conversation') return;
      await byStatements.erase(
        operator(tenant),
        { ...options(), dryRun: false },
        { kind: old.row.type === 'document' ? 'document' : 'event', id: old.row.id },
      );
      rows.splice(rows.indexOf(old), 1);
      return;
    default:
      throw step satisfies never;
  }
}

function rowOf(step: Extract<Write, { readonly write: 'import' }>) {
  const id = newId();
  const own = { id, userId: step.owner === null ? null : userId(step.owner) };
  const agent = step.agent === null ? null : agentId(step.agent);
  const thread = step.thread === null ? null : threadId(step.thread);
  const until = step.until === null ? null : instant(step.until);
  switch (step.kind) {
    case 'entity':
      return entity({ ...own, subject: id, content: step.text, agentId: agent, threadId: thread, validUntil: until });
    case 'workflow':
      return workflow({ ...own, name: id, description: step.text, agentId: agent, steps: [], expectedOutcome: null });
    case 'summary':
      return summary({ ...own, summary: step.text, title: '', agentId: agent, threadId: thread });
    case 'conversation':
      return turn({
        ...own,
        userId: userId(step.owner ?? 'jane'),
        threadId: threadId(step.thread ?? 'main'),
        text: step.text,
      });
    case 'chunk':
      return document({ ...own, sourceUri: `uri:${id}`, agentId: agent, validUntil: until }, [step.text]);
    default:
      throw step.kind satisfies never;
  }
}

describe('answers from memory', () => {
  it('[Q2,Q3,N2] are those of the statements, whatever was written before and who asks', async () => {
    const step = fc.record({ write: writes, searches: fc.array(searches, { minLength: 1, maxLength: 2 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 24 }), async (steps) => {
        const written: Written = { tenant: newTenant(), rows: [] };
        for (const { write, searches: some } of steps) {
          await apply(write, written);
          for (const search of some) {
            const both = await bothAnswers(written, search);
            expect(both.fromMemory).toEqual(both.byStatements);
          }
        }
      }),
      { numRuns: 8, seed: 20260928, endOnFailure: true },
    );
  }, 60_000);

  it('[Q2,Q3] are those of the statements for a memory that is sampled, and chosen from by sign bits', async () => {
    const tenant = newTenant();
    await insertMany(watched, tenant, 6_000);
    const written: Written = { tenant, rows: [] };
    const filters = fc.record({
      kinds: fc.constantFrom(['chunk'] as const, ['chunk', 'entity'] as const),
      collections: fc.constantFrom(null, ['c1']),
      limit: fc.constantFrom(20, 700),
    });
    const search = fc.record({
      user: fc.constantFrom('jane', 'sam'),
      agent: fc.constant(null),
      thread: fc.constant('main'),
      at: fc.constant('2026-06-01T00:00:00Z'),
      terms: fc.array(fc.constantFrom('all', 'half', 'w3', 'w11', 'r5', 'r77', 'absent'), { maxLength: 5 }),
      vector: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
      part: fc.constantFrom('text' as const, 'context' as const),
      filter: filters,
      exclude: fc.constant([]),
    });
    await fc.assert(
      fc.asyncProperty(search, async (one) => {
        const both = await bothAnswers(written, one);
        expect(both.fromMemory).toEqual(both.byStatements);
      }),
      { numRuns: 25, seed: 20260928, endOnFailure: true },
    );
  }, 60_000);
});

/** Index rows without their memories, which searches do not read: most of them shared, in two collections. */
async function insertMany({ raw }: WatchedEngine, tenant: string, count: number): Promise<void> {
  const row = `$1 as tenant_id, 'chunk' as kind, 'row_' || i as id, 1 as version,
    case when i % 5 = 0 then 'jane' end as user_id, 'c' || i % 2 as collection, '2026-01-01'::timestamptz as valid_from,
    i % 50 = 0 as quarantined`;
  const vector = `l2_normalize(('[' || sin(i) || ',' || sin(i * 1.7) || ',' || cos(i * 2.3) || ',' || cos(i * 0.9) || ']')::vector)`;
  const bind = [tenant, count];
  await raw.query(
    { role: null },
    `insert into memory.memory_term (tenant_id, kind, id, version, user_id, collection, valid_from, quarantined, content_hash,
       terms, frequencies, lengths, analysis)
     select ${row}, md5(i::text),
       array_to_tsvector(array[memory.tenant_lexeme($1), 'all', 'r' || i / 40, 'w' || i % 13]
         || case when i % 2 = 0 then array['half'] else '{}' end),
       array[array[0, 0, 0, 0], array[0, 0, 1, 0], array[1, 0, i % 3, 2]]::smallint[]
         || case when i % 2 = 0 then array[array[0, 0, 2, 0]] else '{}' end || array[array[0, 1, i % 5, 0]]::smallint[],
       array[i % 3, 0, i % 90, 4], 1
     from generate_series(1, $2::integer) i`,
    bind,
  );
  for (const part of ['text', 'context']) {
    await raw.query(
      { role: null },
      `with made as (
         select ${row}, '${part}' as part, '${testEmbedder.id}' as embedder, ${vector} as vector
         from generate_series(1, $2::integer) i where i % 7 > 0
       ), vectors as (
         insert into memory.memory_vector (tenant_id, kind, id, version, user_id, collection, valid_from, quarantined, part,
           embedder, vector, content_hash)
         select made.*, 'h' from made
       )
       insert into memory.memory_sign (tenant_id, kind, id, version, user_id, collection, valid_from, quarantined, part,
         embedder, bits)
       select tenant_id, kind, id, version, user_id, collection, valid_from, quarantined, part, embedder,
         binary_quantize(vector) from made`,
      bind,
    );
  }
  // As after an import: without statistics, statements over so many rows take seconds.
  await raw.query({ role: null }, 'analyze memory.memory_term, memory.memory_vector, memory.memory_sign');
}
