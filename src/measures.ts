// What measures text, made of the settings (design Q5, Q6): each part is loaded when it is first needed, and shared by
// all runs of one process that are set alike.

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Embedder } from './embed/embedder.ts';
import type { StaticTable } from './embed/static_table.ts';
import type { Log } from './log.ts';
import type { EmbedderSettings, ModelSettings, RerankerSettings } from './model_settings.ts';
import { MemoryError } from './model/errors.ts';
import type { CountTokens } from './model/window.ts';
import type { ModelFolder } from './onnx/model_folder.ts';
import { once } from './once.ts';
import type { Reranker } from './rerank/reranker.ts';
import type { EmbedderIdentity, Store } from './store/store.ts';

/** Numbers in a vector of the built-in table; known without reading it, so that a store opens without. */
const tableDimensions = 256;

// The same distance from src and from dist.
const tableFolder = join(import.meta.dirname, '..', 'models', 'potion-base-8m');

/** Models that a database offers by the names that it gave them. */
interface DatabaseModels {
  embedder(name: string, dimensions: number): Embedder;
  reranker(name: string): Reranker;
}

/** The store whose database may have models; opened when it is asked for. */
export type OpenStore = () => Promise<Store>;

/** What measures text by one set of settings. */
export interface Measures {
  /** Whose vectors these are, known without loading a model. Throws `invalid_configuration`. */
  identity(): Promise<EmbedderIdentity>;
  /** Throws `invalid_configuration`. */
  embedder(store: OpenStore): Promise<Embedder>;
  /** Throws `invalid_configuration`. */
  reranker(store: OpenStore): Promise<Reranker>;
  tokenizer(): Promise<CountTokens>;
}

/** Gives the measures of settings; for equal settings the same ones. */
export type Measuring = (settings: ModelSettings) => Measures;

/** The measures of a process. Nothing is loaded yet. */
export function createMeasuring(log: Log): Measuring {
  const table = once(openTable);
  const tokenizer = once(async () => (await import('./tokens/tokenizer.ts')).loadTokenizer());
  const made = new Map<string, Measures>();
  return ({ embedder, reranker }) => {
    const key = JSON.stringify([embedder, reranker]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const measures = { ...embedding(embedder, { table, log }), reranker: reranking(reranker, table), tokenizer };
    made.set(key, measures);
    return measures;
  };
}

/** Throws `invalid_configuration` where a model of the database is set and the store's database has none. */
export function requireModels({ embedder, reranker }: ModelSettings, store: Store): void {
  if (embedder.kind === 'database') databaseModels(store, 'CONTEXT_EMBEDDER');
  if (reranker.kind === 'database') databaseModels(store, 'CONTEXT_RERANKER');
}

function databaseModels(store: Store & { readonly models?: DatabaseModels }, variable: string): DatabaseModels {
  if (store.models !== undefined) return store.models;
  const message = `${variable} is database, but this engine has no models in its database.`;
  throw new MemoryError('invalid_configuration', message, { variable });
}

function embedding(
  settings: EmbedderSettings,
  { table, log }: { readonly table: () => Promise<StaticTable>; readonly log: Log },
): Pick<Measures, 'identity' | 'embedder'> {
  switch (settings.kind) {
    case 'built-in':
      return { identity: builtInIdentity, embedder: table };
    case 'onnx': {
      const load = once(async () => {
        const model = await embedderFolder(settings, log);
        const { createOnnxEmbedder } = await import('./embed/onnx.ts');
        return slow(createOnnxEmbedder(model, settings.prefixes));
      });
      // Made without being loaded: the model comes with the first text.
      return { identity: async () => identityOf(await load()), embedder: load };
    }
    case 'http': {
      const load = once(async () => slow((await import('./embed/http.ts')).createHttpEmbedder(settings)));
      return { identity: async () => identityOf(await load()), embedder: load };
    }
    case 'database': {
      const identity = { id: `database:${settings.model}`, dimensions: settings.dimensions };
      const embedder = async (store: OpenStore): Promise<Embedder> => {
        const models = databaseModels(await store(), 'CONTEXT_EMBEDDER');
        const found = models.embedder(settings.model, settings.dimensions);
        return slow({ ...identity, embed: async (texts, options) => found.embed(texts, options) });
      };
      return { identity: async () => identity, embedder };
    }
    default:
      return settings satisfies never;
  }
}

function reranking(settings: RerankerSettings, table: () => Promise<StaticTable>): Measures['reranker'] {
  switch (settings.kind) {
    case 'built-in':
      return once(async () => (await import('./rerank/late_interaction.ts')).lateInteraction(await table()));
    case 'onnx':
      return once(async () => {
        const { findModel } = await import('./onnx/model_folder.ts');
        const model = findModel({ model: settings.model, variable: 'CONTEXT_RERANKER_MODEL', home: homedir() });
        return (await import('./rerank/onnx.ts')).createOnnxReranker(model);
      });
    case 'http':
      return once(async () => (await import('./rerank/http.ts')).createHttpReranker(settings));
    case 'database':
      return async (store) => databaseModels(await store(), 'CONTEXT_RERANKER').reranker(settings.model);
    default:
      return settings satisfies never;
  }
}

async function embedderFolder(
  { model, mayDownload }: Extract<EmbedderSettings, { kind: 'onnx' }>,
  log: Log,
): Promise<ModelFolder> {
  const { findModel, folderOf } = await import('./onnx/model_folder.ts');
  const wanted = { model, variable: 'CONTEXT_EMBEDDER_MODEL', home: homedir() };
  if (mayDownload && folderOf(wanted) === null) {
    const { fetchModel } = await import('./onnx/fetch_model.ts');
    log.warn({ model }, 'the model is not on this machine and is fetched, once');
    await fetchModel(wanted);
  }
  const found = findModel(wanted);
  if (found.hiddenSize > 0) return found;
  const message = `${wanted.variable} names a model whose config.json does not say how long its vectors are.`;
  throw new MemoryError('invalid_configuration', message, { variable: wanted.variable });
}

async function slow(embedder: Embedder): Promise<Embedder> {
  const { cached } = await import('./embed/cached.ts');
  return cached(embedder);
}

function identityOf({ id, dimensions }: Embedder): EmbedderIdentity {
  return { id, dimensions };
}

async function builtInIdentity(): Promise<EmbedderIdentity> {
  const { staticTableId } = await import('./embed/static_table.ts');
  return { id: staticTableId, dimensions: tableDimensions };
}

async function openTable(): Promise<StaticTable> {
  const { openStaticTable } = await import('./embed/static_table.ts');
  return openStaticTable(tableFolder);
}
