// Texts measured by models inside the database (design Q5, Q6): vectors a batch at a time, scores of all candidates in
// one statement. No row of anybody is read for it, so nobody has to be entered.

import { z } from 'zod';
import type { Embedder } from '../../embed/embedder.ts';
import type { Reranker } from '../../rerank/reranker.ts';
import type { DatabaseModels } from '../database_models.ts';
import type { DatabaseRow, Parameter } from '../statements/session.ts';
import { bindsOf } from './binds.ts';
import { readModels, requireDimensions, requireModel, requireModelName } from './database_models.ts';
import type { DatabaseModel, WantedModel } from './database_models.ts';
import { transaction } from './transaction.ts';
import type { OracleEngine } from './transaction.ts';

/** Texts of one statement: each is a run of the model, and a statement has an end. */
const textsOfBatch = 64;
/** What a text of SQL holds. */
const mostEmbeddedBytes = 4000;
/** A cross-encoder reads some 512 pieces of question and text together; more would cost time and change nothing. */
const mostRerankedBytes = 2000;

/** The models of a database, used through the store's own pool. */
export function createDatabaseModels(engine: OracleEngine): DatabaseModels {
  return {
    embedder: (name, dimensions) => embedderOf(engine, { name, variable: 'CONTEXT_EMBEDDER_MODEL', dimensions }),
    reranker: (name) => rerankerOf(engine, { name, variable: 'CONTEXT_RERANKER_MODEL', dimensions: null }),
  };
}

function embedderOf(engine: OracleEngine, wanted: WantedModel & { readonly dimensions: number }): Embedder {
  const withModel = lookedUp(engine, wanted);
  return {
    id: databaseModelId(wanted.name),
    dimensions: wanted.dimensions,
    embed: (texts, { signal }) =>
      withModel(async ({ name, inputs: [input = ''] }) => {
        const names = { MEM_EMBEDDER: name, DATA: input };
        const vectors: (Float32Array | null)[] = texts.map(() => null);
        const told = [...texts.entries()].filter(([, text]) => text.trim() !== '');
        for (let start = 0; start < told.length; start += textsOfBatch) {
          const batch = told.slice(start, start + textsOfBatch);
          const given = batch.map(([, text]) => withinBytes(text, mostEmbeddedBytes));
          const rows = await measure(engine, { statement: 'embed', names, parameters: [given], signal });
          requireAll(rows, batch.length);
          batch.forEach(([place], index) => (vectors[place] = unitVector(rows[index]?.['vector'], wanted)));
        }
        return vectors;
      }),
  };
}

function rerankerOf(engine: OracleEngine, wanted: WantedModel): Reranker {
  const withModel = lookedUp(engine, wanted);
  return {
    id: databaseModelId(wanted.name),
    score: (question, texts, { signal } = {}) =>
      withModel(async ({ name, inputs: [first = '', second = ''] }) => {
        const names = { MEM_RERANKER: name, FIRST_INPUT: first, SECOND_INPUT: second };
        const given = texts.map(({ text }) => withinBytes(text, mostRerankedBytes));
        const parameters = [withinBytes(question, mostRerankedBytes), given] as const;
        const rows = await measure(engine, { statement: 'rerank', names, parameters, signal });
        requireAll(rows, texts.length);
        return rows.map(({ logit }) => ({ kind: 'logit', value: z.number().parse(logit) }));
      }),
  };
}

/** What stands in manifests and beside a store's vectors for a model of this name. */
export function databaseModelId(name: string): string {
  return `database:${name}`;
}

/** Looks the model up when it is first used, and again after a failure: it may have been loaded, or loaded anew. */
function lookedUp(
  engine: OracleEngine,
  wanted: WantedModel,
): <T>(use: (model: DatabaseModel) => Promise<T>) => Promise<T> {
  requireModelName(wanted);
  let found: Promise<DatabaseModel> | null = null;
  const look = { beginning: { as: 'look' }, call: { requestId: 'models' } } as const;
  return async (use) => {
    try {
      found ??= transaction(engine, look, async (session) => requireModel(await readModels(session), wanted));
      return await use(await found);
    } catch (error) {
      found = null;
      throw error;
    }
  };
}

interface Measuring {
  readonly statement: 'embed' | 'rerank';
  /** The identifiers of the statement's file, and what stands for each. */
  readonly names: Readonly<Record<string, string>>;
  readonly parameters: readonly Parameter[];
  readonly signal: AbortSignal | undefined;
}

function measure(engine: OracleEngine, given: Measuring): Promise<readonly DatabaseRow[]> {
  const { driver, statements } = engine;
  const statement = statements.withNames(given.statement, given.names);
  const binds = bindsOf(driver, statement, given.parameters, { tenantId: null, userId: null, scn: null });
  const call = { requestId: given.statement, ...(given.signal === undefined ? {} : { signal: given.signal }) };
  return transaction(engine, { beginning: { as: 'look' }, call }, (_session, _entered, connection) =>
    connection.execute(statement.sql, binds, false),
  );
}

function requireAll({ length }: readonly DatabaseRow[], wanted: number): void {
  if (length !== wanted) throw new RangeError(`a model measured ${length} of ${wanted} texts`);
}

/** Null for a vector without direction, and for none. */
function unitVector(value: unknown, wanted: WantedModel): Float32Array | null {
  if (value === null || value === undefined) return null;
  const numbers = ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : z.array(z.number()).parse(value);
  requireDimensions(wanted, numbers.length);
  const length = Math.hypot(...numbers);
  if (!Number.isFinite(length)) throw new RangeError('a model made a vector that is none');
  return length === 0 ? null : Float32Array.from(numbers, (number) => number / length);
}

/** As much of a text as fits, characters left whole. */
function withinBytes(text: string, most: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(most)).read);
}
