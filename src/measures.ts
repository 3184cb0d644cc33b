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
import type { Task } from './onnx/runnable_model.ts';
import type { Runner } from './onnx/runner.ts';
import { once } from './once.ts';
import type { Reranker } from './rerank/reranker.ts';
import type { DatabaseModels } from './store/database_models.ts';
import type { EmbedderIdentity, Store } from './store/store.ts';

/** Numbers in a vector of the built-in table; known without reading it, so that a store opens without. */
const tableDimensions = 256;

// The same distance from src and from dist.
const tableFolder = join(import.meta.dirname, '..', 'models', 'potion-base-8m');

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
  /** The built-in reranker, which needs nothing and nobody: for a call in which the one that is set fails. */
  standInReranker(): Promise<Reranker>;
  tokenizer(): Promise<CountTokens>;
}

/** What measures text in a process, for all that is set in it. */
export interface Measuring {
  /** For equal settings of a model the same model. */
  of(settings: ModelSettings): Measures;
  /** Ends what runs beside this process. */
  close(): void;
}

/** What the measures of a process have in common. */
interface Common {
  readonly table: () => Promise<StaticTable>;
  readonly builtInReranker: () => Promise<Reranker>;
  readonly log: Log;
  /** Runs a model, until the end of all. */
  readonly run: (model: ModelFolder, task: Task) => Promise<Runner>;
}

/** The measures of a process. Nothing is loaded yet. */
export function createMeasuring(log: Log): Measuring {
  const runners: Runner[] = [];
  const table = once(openTable);
  const builtInReranker = once(async () =>
    (await import('./rerank/late_interaction.ts')).lateInteraction(await table()),
  );
  const common: Common = {
    table,
    builtInReranker,
    log,
    run: async (model, task) => {
      const { createRunner } = await import('./onnx/runner.ts');
      const runner = createRunner(model, task);
      runners.push(runner);
      return runner;
    },
  };
  const tokenizer = once(async () => (await import('./tokens/tokenizer.ts')).loadTokenizer());
  const embedders = bySettings((settings: EmbedderSettings) => embedding(settings, common));
  const rerankers = bySettings((settings: RerankerSettings) => reranking(settings, common));
  return {
    of: ({ embedder, reranker }) => ({
      ...embedders(embedder),
      reranker: rerankers(reranker),
      standInReranker: builtInReranker,
      tokenizer,
    }),
    close: () => {
      for (const runner of runners.splice(0)) runner.close();
    },
  };
}

function bySettings<Settings, Made>(make: (settings: Settings) => Made): (settings: Settings) => Made {
  const made = new Map<string, Made>();
  return (settings) => {
    const key = JSON.stringify(settings);
    const found = made.get(key) ?? make(settings);
    made.set(key, found);
    return found;
  };
}

/** Throws `invalid_configuration` where a model of the database is set and the store's database has none. */
export function requireModels({ embedder, reranker }: ModelSettings, store: Store): void {
  if (embedder.kind === 'database') databaseModels(store, 'CONTEXT_EMBEDDER');
  if (reranker.kind === 'database') databaseModels(store, 'CONTEXT_RERANKER');
}

function databaseModels(store: Store, variable: string): DatabaseModels {
  if (store.models !== undefined) return store.models;
  const message = `${variable} is database, but this engine has no models in its database.`;
  throw new MemoryError('invalid_configuration', message, { variable });
}

function embedding(settings: EmbedderSettings, { table, log, run }: Common): Pick<Measures, 'identity' | 'embedder'> {
  switch (settings.kind) {
    case 'built-in':
      return { identity: builtInIdentity, embedder: table };
    case 'onnx': {
      const load = once(async () => {
        const model = await embedderFolder(settings, log);
        const { createOnnxEmbedder } = await import('./embed/onnx.ts');
        return slow(createOnnxEmbedder(model, settings.prefixes, await run(model, 'embed')));
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
      // Each login of a server has a store of its own, and what it gave is kept with it.
      const made = new WeakMap<Store, Promise<Embedder>>();
      const embedder = async (open: OpenStore): Promise<Embedder> => {
        const store = await open();
        const found = databaseModels(store, 'CONTEXT_EMBEDDER').embedder(settings.model, settings.dimensions);
        const own = made.get(store) ?? slow({ ...identity, embed: async (...given) => found.embed(...given) });
        made.set(store, own);
        return own;
      };
      return { identity: async () => identity, embedder };
    }
    default:
      return settings satisfies never;
  }
}

function reranking(settings: RerankerSettings, { builtInReranker, run }: Common): Measures['reranker'] {
  switch (settings.kind) {
    case 'built-in':
      return builtInReranker;
    case 'onnx':
      return once(async () => {
        const { findModel } = await import('./onnx/model_folder.ts');
        const model = findModel({ model: settings.model, variable: 'CONTEXT_RERANKER_MODEL', home: homedir() });
        return (await import('./rerank/onnx.ts')).createOnnxReranker(model, await run(model, 'score'));
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
