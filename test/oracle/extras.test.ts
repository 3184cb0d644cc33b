// What a database may have beside the schema, over a scripted server: models that measure text, and an approximate index
// of vectors. That a model's answer means anything, and that an index finds what it should, only a database can show.
import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryError } from '../../src/model/errors.ts';
import { instant } from '../../src/model/time.ts';
import type { RerankText } from '../../src/rerank/reranker.ts';
import { readExtras } from '../../src/store/oracle/extras.ts';
import { databaseModelId } from '../../src/store/oracle/measured_texts.ts';
import { createOracleStore } from '../../src/store/oracle/store.ts';
import { transaction } from '../../src/store/oracle/transaction.ts';
import { createStatements } from '../../src/store/oracle/statements.ts';
import { readMigrations } from '../../src/store/sql_files.ts';
import type { DatabaseModels } from '../../src/store/database_models.ts';
import { options, scope, testEmbedder } from '../store/harness.ts';
import type { StubCall, StubReply } from './stub/script.ts';
import { nameOf, openScripted } from './stub/scripted_store.ts';
import type { Answers, ScriptedStore } from './stub/scripted_store.ts';

let opened: ScriptedStore | null = null;
afterEach(async () => {
  const faults = opened?.stub.events.filter(({ what }) => what === 'fault') ?? [];
  await opened?.close();
  opened = null;
  if (faults.length > 0) throw new Error(`the scripted server met what it does not know: ${JSON.stringify(faults)}`);
});

const modelColumns = { name: 'text', purpose: 'text', inputs: 'json', vector_type: 'text' } as const;
const embedder = { name: 'MEM_EMBEDDER', purpose: 'EMBEDDING', inputs: ['DATA'], vector_type: 'VECTOR(2,FLOAT32)' };
const reranker = { name: 'MEM_RERANKER', purpose: 'REGRESSION', inputs: ['DATA1', 'DATA2'], vector_type: null };
const bothModels = [embedder, reranker];

/** What the dictionary says; without a model the server's usual answer without rows. */
const listed = (models: readonly object[]): StubReply | undefined =>
  models.length === 0 ? undefined : { columns: modelColumns, rows: models as never };

/** A database with these models; each statement of a model is kept, and answered as told. */
async function open(
  models: readonly object[] = bothModels,
  answer: (call: StubCall) => StubReply = () => ({ affected: 0 }),
  answers: Answers = {},
): Promise<ScriptedStore & { readonly models: DatabaseModels; readonly measured: readonly StubCall[] }> {
  const measured: StubCall[] = [];
  opened = await openScripted(
    { database_models: () => listed(models), ...answers },
    {
      fallback: async (call) => {
        if (!/VECTOR_EMBEDDING|PREDICTION/.test(call.sql)) return null;
        measured.push(call);
        return answer(call);
      },
    },
  );
  const { models: own } = opened.store;
  if (own === undefined) throw new Error('the store has no models');
  return { ...opened, models: own, measured };
}

const vectors = (...rows: readonly (readonly number[] | null)[]): StubReply => ({
  columns: { vector: 'vector' },
  rows: rows.map((row) => ({ vector: row === null ? null : Float32Array.from(row) })),
});
const logits = (...values: readonly (number | null)[]): StubReply => ({
  columns: { logit: 'double' },
  rows: values.map((logit) => ({ logit })),
});
const textsOf = ({ binds }: StubCall): readonly string[] => binds['texts'] as readonly string[];
const asText = { purpose: 'text' } as const;
const candidate = (text: string): RerankText => ({ text, prior: 0, passage: false });

describe('an embedder in the database', () => {
  it('[Q5] gives vectors of length 1 in the order of the texts, and none for an empty text', async () => {
    const given = await open(bothModels, () => vectors([3, 4], [0, 0], [0, -2]));
    const made = given.models.embedder('MEM_EMBEDDER', 2);
    expect([made.id, made.dimensions]).toEqual([databaseModelId('MEM_EMBEDDER'), 2]);
    const found = await made.embed(['one', ' \n', 'two', 'three'], asText);
    expect(found.map((vector) => vector && [...vector].map((value) => Math.round(value * 10) / 10))).toEqual([
      [0.6, 0.8],
      null,
      null,
      [0, -1],
    ]);
    expect(given.measured.map(textsOf)).toEqual([['one', 'two', 'three']]);
  });

  it('[Q5] asks a statement for a batch, looks the model up once, and enters nobody', async () => {
    const given = await open(bothModels, (call) => vectors(...textsOf(call).map((): readonly number[] => [1, 0])));
    const made = given.models.embedder('MEM_EMBEDDER', 2);
    const texts = Array.from({ length: 130 }, (_, at) => `text ${at}`);
    expect((await made.embed(texts, asText)).every((vector) => vector?.[0] === 1)).toBe(true);
    await made.embed(['one more'], asText);
    expect(given.measured.map((call) => textsOf(call).length)).toEqual([64, 64, 2, 1]);
    expect(given.measured.flatMap(textsOf).slice(0, 130)).toEqual(texts);
    expect(given.seen().filter((line) => line.endsWith('database_models'))).toHaveLength(1);
    expect(given.seen().filter((line) => /enter|leave/.test(line))).toEqual([]);
    expect(given.measured[0]?.tags).toMatchObject({ clientId: 'embed', action: 'look' });
  });

  it('[Q5] gives a model as much of a text as SQL holds, characters left whole', async () => {
    const given = await open(bothModels, () => vectors([1, 0]));
    await given.models.embedder('MEM_EMBEDDER', 2).embed(['é記😀'.repeat(2000)], asText);
    const [sent = ''] = given.measured.flatMap(textsOf);
    expect(Buffer.byteLength(sent)).toBeGreaterThan(3990);
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(4000);
    expect(sent.isWellFormed() && 'é記😀'.repeat(2000).startsWith(sent)).toBe(true);
  });

  it.each([
    ['is not there, or not granted', [], 'no model MEM_EMBEDDER', 'CONTEXT_EMBEDDER_MODEL'],
    ['is of another kind', [{ ...reranker, name: 'MEM_EMBEDDER' }], 'not one that makes', 'CONTEXT_EMBEDDER_MODEL'],
    [
      'has an input of another name than one can write',
      [{ ...embedder, inputs: ['data" FROM dual --'] }],
      'not one',
      'CONTEXT_EMBEDDER_MODEL',
    ],
    [
      'makes other vectors',
      [{ ...embedder, vector_type: 'VECTOR(384,FLOAT32)' }],
      '384 dimensions',
      'CONTEXT_EMBEDDER_DIMENSIONS',
    ],
  ])('[Q5,D6] that %s is refused by name before a text is sent', async (_, models, sentence, variable) => {
    const given = await open(models);
    const failure: unknown = await given.models
      .embedder('MEM_EMBEDDER', 2)
      .embed(['one'], asText)
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'invalid_configuration', data: { variable } });
    expect((failure as MemoryError).message).toContain(sentence);
    expect(given.measured).toEqual([]);
  });

  it('[Q5,D6] whose vectors are of another length than is said is refused, also where the dictionary is silent', async () => {
    const given = await open([{ ...embedder, vector_type: null }], () => vectors([1, 2, 3]));
    await expect(given.models.embedder('MEM_EMBEDDER', 2).embed(['one'], asText)).rejects.toMatchObject({
      data: { variable: 'CONTEXT_EMBEDDER_DIMENSIONS' },
    });
  });

  it('[Q5] is looked up again after a failure, and answers for every text or for none', async () => {
    let known: readonly object[] = [];
    let answer: StubReply = vectors([1, 0]);
    const given = await open([], () => answer, {
      database_models: () => listed(known),
    });
    const made = given.models.embedder('MEM_EMBEDDER', 2);
    await expect(made.embed(['one'], asText)).rejects.toMatchObject({ code: 'invalid_configuration' });
    known = bothModels;
    expect(await made.embed(['one'], asText)).toHaveLength(1);
    await expect(made.embed(['one', 'two'], asText)).rejects.toThrow();
    answer = { error: [40284, 'ORA-40284: model does not exist'] };
    await expect(made.embed(['one'], asText)).rejects.toMatchObject({ code: 'store_unavailable' });
    // Loaded anew, with an input of another name.
    [known, answer] = [[{ ...embedder, inputs: ['INPUT_STRING'] }], vectors([1, 0])];
    expect(await made.embed(['one'], asText)).toHaveLength(1);
    expect(given.measured.at(-1)?.sql).toContain('t.text AS "INPUT_STRING"');
  });
});

describe('a reranker in the database', () => {
  it('[Q6] scores all candidates in one statement, by the names of its inputs, and its logits may be negative', async () => {
    const given = await open([{ ...reranker, name: 'BGE$BASE' }], () => logits(2.5, -7.25));
    const made = given.models.reranker('BGE$BASE');
    expect(made.id).toBe(databaseModelId('BGE$BASE'));
    expect(await made.score('Which?', [candidate('this'), candidate('記'.repeat(1000))])).toEqual([
      { kind: 'logit', value: 2.5 },
      { kind: 'logit', value: -7.25 },
    ]);
    const [call] = given.measured;
    expect(given.measured).toHaveLength(1);
    expect(call?.sql).toContain('mem_owner."BGE$BASE" USING :question AS "DATA1", c.text AS "DATA2"');
    expect(call?.binds).toEqual({ question: 'Which?', texts: ['this', '記'.repeat(666)] });
  });

  it('[Q6] stops when it is told to, and the connection can be used again', async () => {
    const given = await open(bothModels, () => 'hang');
    const caller = new AbortController();
    const made = given.models.reranker('MEM_RERANKER');
    const scoring = made.score('Which?', [candidate('this')], { signal: caller.signal });
    await expect.poll(() => given.measured.length).toBe(1);
    caller.abort();
    await expect(scoring).rejects.toMatchObject({ code: 'cancelled' });
    expect(given.seen()).toContain('1 break');
    expect(given.engine.pool.counts()).toEqual({ open: 1, lent: 0 });
  });

  it('[Q6] fails where a score is missing, or its inputs are not two', async () => {
    const given = await open(bothModels, () => logits(null));
    await expect(given.models.reranker('MEM_RERANKER').score('Which?', [candidate('this')])).rejects.toThrow();
    await given.close();
    const other = await open([{ ...reranker, inputs: ['DATA1'] }]);
    await expect(other.models.reranker('MEM_RERANKER').score('Which?', [candidate('this')])).rejects.toMatchObject({
      code: 'invalid_configuration',
      data: { variable: 'CONTEXT_RERANKER_MODEL' },
    });
  });

  it.each(['mem_reranker', 'A"B', '', '1A', `A${'B'.repeat(128)}`, 'A B', 'SYS.A'])(
    '[Q6] no name but an identifier stands in a statement: %j',
    async (name) => {
      const { models } = await open();
      expect(() => models.reranker(name)).toThrow(
        expect.objectContaining({ code: 'invalid_configuration', data: { variable: 'CONTEXT_RERANKER_MODEL' } }),
      );
      expect(() => models.embedder(name, 2)).toThrow(
        expect.objectContaining({ data: { variable: 'CONTEXT_EMBEDDER_MODEL' } }),
      );
      expect(() => createStatements().withNames('embed', { MEM_EMBEDDER: name, DATA: 'DATA' })).toThrow('MEM_EMBEDDER');
    },
  );
});

describe('capabilities of a database', () => {
  const index = (): StubReply => ({ columns: { name: 'text' }, rows: [{ name: 'MEMORY_VECTOR_NEAR' }] });

  it.each([
    [[], {}, { approximateVectorIndex: false, inDatabaseRerank: false }],
    [[embedder], {}, { approximateVectorIndex: false, inDatabaseRerank: false }],
    [bothModels, { vector_indexes: index }, { approximateVectorIndex: true, inDatabaseRerank: true }],
  ])('[N9] are what its dictionary says: %#', async (models, answers: Answers, expected) => {
    const given = await open(models, undefined, answers);
    const call = { requestId: 'extras' };
    expect(await transaction(given.engine, { beginning: { as: 'look' }, call }, readExtras)).toEqual(expected);
  });

  const hit = (id: string) => ({ type: 'chunk', id, version: 1, cosine: 0.5 });
  const hits = (count: number): StubReply => ({
    columns: { type: 'text', id: 'text', version: 'number', cosine: 'double' },
    rows: Array.from({ length: count }, (_, at) => hit(`c${at}`)),
  });

  /** Which statements a search for 3 vectors sends, where this many can be seen and an index brings so many. */
  async function searched(visible: number, brought: number, hasIndex: boolean): Promise<readonly string[]> {
    const given = await open([], undefined, {
      count_vectors: () => ({
        columns: { vectors: 'number', embedder_id: 'text', embedder_dimensions: 'number' },
        rows: [{ vectors: visible, embedder_id: testEmbedder.id, embedder_dimensions: testEmbedder.dimensions }],
      }),
      vectors_approximate: () => hits(brought),
      vectors_by_sign: () => hits(3),
      vectors_exact: () => hits(3),
    });
    const extras = { approximateVectorIndex: hasIndex, inDatabaseRerank: false };
    const { engine } = given;
    const store = createOracleStore({ engine, embedder: testEmbedder, migrations: readMigrations('oracle'), extras });
    expect(store.capabilities).toEqual({ pastReads: 'flashback', soleWriter: false, ...extras });
    const filter = { kinds: ['chunk'], collections: null, exclude: [], limit: 3 } as const;
    const at = instant('2026-09-28T12:00:00.000000Z');
    const vector = Float32Array.from([1, 0, 0, 0]);
    const found = await store.read(scope('acme'), { ...options(), evaluationTime: at }, (reader) =>
      reader.searchVector(vector, 'text', filter),
    );
    expect(found).toHaveLength(3);
    return given.stub.events.flatMap(({ what, detail }) => {
      const name = what === 'statement' ? nameOf(detail) : '';
      return name.startsWith('vectors_') ? [name] : [];
    });
  }

  it('[Q3,N9] an approximate index is asked where it was built and there is much to compare', async () => {
    expect(await searched(2_001, 3, true)).toEqual(['vectors_approximate']);
    await opened?.close();
    expect(await searched(2_001, 3, false)).toEqual(['vectors_by_sign']);
    await opened?.close();
    expect(await searched(2_000, 3, true)).toEqual(['vectors_exact']);
  });

  it('[Q3,N2] one that brings fewer rows of the caller than were asked for is not believed', async () => {
    expect(await searched(2_001, 2, true)).toEqual(['vectors_approximate', 'vectors_by_sign']);
  });
});
