// The composition root's workshop: each part is loaded and made when it is first asked for, and closed once.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Models, Opening, Parts } from './command/command.ts';
import type { Config } from './config.ts';
import type { Embedder } from './embed/embedder.ts';
import type { StaticTable } from './embed/static_table.ts';
import type { Log } from './log.ts';
import type { ManagerParts } from './manager/parts.ts';
import { rowId } from './model/ids.ts';
import type { CountTokens } from './model/window.ts';
import type { ProviderCount } from './provider_count.ts';
import type { Reranker } from './rerank/reranker.ts';
import type { Store } from './store/store.ts';

/** Name of the tokenizer's encoding, as windows record it. */
const encoding = 'o200k_base';

// The same distance from src and from dist.
const tableFolder = join(import.meta.dirname, '..', 'models', 'potion-base-8m');

/** The parts of a process with this configuration; nothing is loaded yet. */
export function compose(config: Config, log: Log, opening: Opening = {}): Parts {
  let opened: Promise<Store> | undefined;
  let closed: Promise<void> | undefined;
  const store = (): Promise<Store> => (opened ??= openStore(config, log, opening));
  const measures = createMeasures();
  const providerCount = createCounter(config, log);
  const managerParts = async (): Promise<ManagerParts> => ({
    store: await store(),
    ...measures,
    log,
    newId: (prefix) => rowId(`${prefix}_${randomBytes(16).toString('hex')}`),
    providerCount,
    clockMs: () => performance.now(),
  });
  return {
    store,
    manager: once(async () => {
      const [{ createManager }, parts] = await Promise.all([import('./manager/create_manager.ts'), managerParts()]);
      return createManager(parts);
    }),
    operator: once(async () => {
      const [{ createOperatorManager }, parts] = await Promise.all([import('./manager/operator.ts'), managerParts()]);
      return createOperatorManager(parts);
    }),
    models: () => namesOf(measures),
    providerCount,
    // A store that never opened has nothing to close; why it did not open was told to whoever asked for it.
    close: () =>
      (closed ??= (opened ?? Promise.resolve(null)).then(
        async (open) => open?.close(),
        () => {},
      )),
  };
}

/** What measures text, each loaded when first needed: a list of tools needs none. */
interface Measures {
  readonly embedder: () => Promise<Embedder>;
  readonly reranker: () => Promise<Reranker>;
  readonly tokenizer: () => Promise<CountTokens>;
}

function createMeasures(): Measures {
  const table = once(openTable);
  return {
    embedder: table,
    reranker: once(async () => {
      const { lateInteraction } = await import('./rerank/late_interaction.ts');
      return lateInteraction(await table());
    }),
    tokenizer: once(async () => (await import('./tokens/tokenizer.ts')).loadTokenizer()),
  };
}

async function openTable(): Promise<StaticTable> {
  const { openStaticTable } = await import('./embed/static_table.ts');
  return openStaticTable(tableFolder);
}

async function namesOf({ embedder, reranker, tokenizer }: Measures): Promise<Models> {
  const [{ id, dimensions }, { id: rerankerId }] = await Promise.all([embedder(), reranker(), tokenizer()]);
  return { embedder: id, dimensions, reranker: rerankerId, encoding };
}

async function openStore(config: Config, log: Log, opening: Opening): Promise<Store> {
  const { openEmbeddedStore } = await import('./store/postgres/pglite.ts');
  return openEmbeddedStore({
    directory: opening.inMemory === true ? ':memory:' : config.dataDirectory,
    embedder: builtInEmbedder,
    log,
    migrate: opening.migrate ?? true,
  });
}

function createCounter(config: Config, log: Log): ProviderCount | null {
  const { providerCount: endpoint } = config;
  if (endpoint === null) return null;
  const load = once(async () => {
    const { createProviderCount } = await import('./provider_count.ts');
    return createProviderCount(endpoint, log);
  });
  return async (request) => (await load())(request);
}

/** The result of the first call for every call; a failure is forgotten, so that the next call tries again. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
