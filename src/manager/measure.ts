// From gathered rows to measured candidates: reranked outside the snapshot (design N3, Q6), with their token counts.

import { contentHash } from '../assembly/hash.ts';
import type { Candidate } from '../model/candidate.ts';
import type { JsonObject } from '../model/json.ts';
import { refKey } from '../model/memory.ts';
import type { CountTokens } from '../model/window.ts';
import type { NewTokenCount } from '../store/written_rows.ts';

import type { GatheredRow } from './gather.ts';
import { trustedIdentities, usableCompression } from './make_summary.ts';
import type { Call } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import type { EmbedFallback } from './question_vector.ts';
import { fullTokens, tokenCountRow } from './token_counts.ts';
import type { WindowSnapshot } from './read_window.ts';
import { rerank } from './retrieve.ts';

/** Measured candidates, and what the manifest and the retrieval event say of the measuring. */
export interface Measurements {
  readonly candidates: readonly Candidate[];
  /** Token counts that were missing and are now to be kept. */
  readonly counted: readonly NewTokenCount[];
  readonly countTokens: CountTokens;
  readonly embedder: string;
  readonly reranker: string;
  readonly fallbacks: readonly string[];
  readonly record: JsonObject;
}

/**
 * Reranks and counts what was gathered. A reranker that fails or is late costs nothing but its order. `fallback` is the
 * question's own.
 */
export async function measure(
  parts: ManagerParts,
  call: Call,
  made: {
    readonly question: string;
    readonly fallback: EmbedFallback | null;
    readonly snapshot: Pick<WindowSnapshot, 'gathered' | 'policies'>;
  },
): Promise<Measurements> {
  const { gathered, policies } = made.snapshot;
  const [reranker, embedder, countTokens, identities] = await Promise.all([
    parts.reranker(),
    parts.embedder(),
    parts.tokenizer(),
    trustedIdentities(parts),
  ]);
  // The tail is seated by its order, never by its score.
  const searched = gathered.rows.filter(({ slice }) => slice !== 'volatile_tail');
  const reranked = await rerank(reranker, {
    question: made.question,
    candidates: searched,
    policy: policies.retrieval,
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    ...(parts.standInReranker === undefined ? {} : { standIn: parts.standInReranker }),
  });
  if (reranked.failure !== null) {
    const { failure: error, fallbacks } = reranked;
    parts.log.warn({ requestId: call.requestId, error, fallbacks }, 'the reranker failed');
  }
  const measured = gathered.rows.map((row) => {
    const key = refKey(row.memory.ref);
    const cached = gathered.cached.get(key) ?? {};
    const stored = gathered.compressions.get(key);
    const full = cached.full ?? fullTokens(row.memory, countTokens);
    const candidate: Candidate = {
      memory: row.memory,
      slice: row.slice,
      measured: { rerank: reranked.scores.get(key) ?? null, fused: row.fused },
      cachedTokens: full === null || full === cached.full ? cached : { ...cached, full },
      compression: stored === undefined ? null : usableCompression(stored, contentHash(row.memory), identities),
      origin: originOf(row),
      linkedFrom: row.linkedFrom,
    };
    return { candidate, isNew: cached.full === undefined && full !== null };
  });
  return {
    candidates: measured.map(({ candidate }) => candidate),
    counted: measured
      .filter(({ isNew }) => isNew)
      .map(({ candidate }) => tokenCountRow(candidate.memory, candidate.cachedTokens)),
    countTokens,
    embedder: embedder.id,
    reranker: reranker.id,
    fallbacks: made.fallback === null ? reranked.fallbacks : [made.fallback, ...reranked.fallbacks],
    record: { rerank: { reranked: reranked.scores.size, of: searched.length, ms: Math.round(reranked.elapsedMs) } },
  };
}

/** A summary and a model's turn were written by a model, whoever asked for them. */
function originOf({ memory }: GatheredRow): 'query' | 'model' {
  return memory.type === 'summary' || (memory.type === 'conversation' && memory.role === 'assistant')
    ? 'model'
    : 'query';
}
