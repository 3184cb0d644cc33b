// Whether the models that are set can be asked: loaded or reached, with one small question each.

import type { ModelTrial } from './command/command.ts';
import type { Measures, OpenStore } from './measures.ts';

/** A model may have to be loaded first. */
const deadlineMs = 20_000;

/** Asks both at once. Rejects only where they cannot be made; an answer that is none is a failure of the trial. */
export async function tryModels(
  measures: Measures,
  store: OpenStore,
  signal: AbortSignal,
): Promise<{ readonly embedder: ModelTrial; readonly reranker: ModelTrial }> {
  const [embedder, reranker] = await Promise.all([measures.embedder(store), measures.reranker(store)]);
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  // What was asked before would come from memory.
  const text = `What time is it? ${new Date().toISOString()}`;
  const [embedded, reranked] = await Promise.all([
    trial(() => embedder.embed([text], { purpose: 'query', signal: bounded })),
    trial(() => reranker.score(text, [{ text, prior: 1, passage: false }], { signal: bounded })),
  ]);
  return { embedder: embedded, reranker: reranked };
}

async function trial(ask: () => Promise<readonly unknown[]>): Promise<ModelTrial> {
  const start = performance.now();
  try {
    await ask();
    return { works: true, milliseconds: Math.round(performance.now() - start) };
  } catch (error) {
    return { works: false, error };
  }
}
