// The port of models that live inside a database (design Q5, Q6): the ports of every other embedder and reranker.

import type { Embedder } from '../embed/embedder.ts';
import type { Reranker } from '../rerank/reranker.ts';

/**
 * Models by the names that the configuration gives. Making one asks the database nothing and throws
 * `invalid_configuration` for what cannot be a name; so does the first use of one that is missing, that was not granted,
 * or that is of another kind or size.
 */
export interface DatabaseModels {
  embedder(name: string, dimensions: number): Embedder;
  reranker(name: string): Reranker;
}
