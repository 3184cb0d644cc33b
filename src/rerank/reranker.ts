// The port of rerankers (design Q6): reads question and texts together and says, in its own unit, how well each answers.

import type { RerankScore } from '../model/candidate.ts';

/** A candidate as a reranker sees it. */
export interface RerankText {
  readonly text: string;
  /** The fused score of the search, 0..1 within its slice; a reranker may build on it. */
  readonly prior: number;
  /** True: a passage of a document. Long enough to say what it means, it can be judged more by its own words. */
  readonly passage: boolean;
}

/** Bounds of one call. */
export interface RerankOptions {
  /** When it aborts, the reranker stops and rejects. */
  readonly signal?: AbortSignal;
}

/** Scores texts for a question. */
export interface Reranker {
  /** Recorded in manifests. */
  readonly id: string;
  /** One score for each text, in order. Rejects when the signal aborts. */
  score(question: string, texts: readonly RerankText[], options?: RerankOptions): Promise<readonly RerankScore[]>;
}
