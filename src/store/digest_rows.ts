// The digest of a thread as a row (design C1): a summary whose artifacts say what it was made of, and by whom.

import { z } from 'zod';
import type { JsonObject } from '../model/json.ts';
import type { StoredRow } from './rows.ts';
import { mappers } from './rows.ts';
import type { ThreadDigest } from './store.ts';

/** The task type that no other summary has. */
export const digestTaskType = 'thread_digest';

const artifacts = z.object({
  model: z.string(),
  prompt_version: z.string(),
  source_hash: z.string(),
  first_turn: z.number().int(),
  last_turn: z.number().int(),
  turns: z.number().int(),
  tokens: z.number().int(),
});

/** A stored digest. Throws on a row whose artifacts are not those of one. */
export function threadDigest(row: StoredRow): ThreadDigest {
  const made = artifacts.parse(row['artifacts']);
  return {
    memory: mappers.summary(row),
    model: made.model,
    promptVersion: made.prompt_version,
    sourceHash: made.source_hash,
    firstTurn: made.first_turn,
    lastTurn: made.last_turn,
    turns: made.turns,
    tokens: made.tokens,
  };
}

/** What a digest's row keeps beside its text. */
export function digestArtifacts(made: Omit<ThreadDigest, 'memory'>): JsonObject {
  return {
    model: made.model,
    prompt_version: made.promptVersion,
    source_hash: made.sourceHash,
    first_turn: made.firstTurn,
    last_turn: made.lastTurn,
    turns: made.turns,
    tokens: made.tokens,
  };
}
