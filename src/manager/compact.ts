// Keeps a digest of a thread that outgrows the tail (design C1): made of its raw turns each time, so that nothing fades
// from one digest to the next. Pinned guidelines are no part of it: they stand in every window by themselves.

import { canonicalHash, contentHash } from '../assembly/hash.ts';
import { lifecycleState } from '../assembly/select/lifecycle.ts';
import { restsOnStale } from '../assembly/select/stale.ts';
import { MemoryError } from '../model/errors.ts';
import type { Budget } from '../model/budget.ts';
import { refKey, type Ref, type Summary, type Turn } from '../model/memory.ts';
import type { CountTokens } from '../model/window.ts';
import { digestArtifacts, digestTaskType } from '../store/digest_rows.ts';
import type { SnapshotReader, ThreadDigest } from '../store/store.ts';
import type { NewSummary } from '../store/written_rows.ts';
import type { SummariserIdentity } from '../summarise/summariser.ts';
import { callOptions } from './call_options.ts';
import { indexEntries, inOrder } from './index_rows.ts';
import { isBy, type MadeSummary, type MakeSummary, summaryMaker } from './make_summary.ts';
import type { Call, Compaction, StaleText } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { policiesOf } from './policies.ts';
import { newTokenCounts } from './token_counts.ts';

/** A digest covers at most so many of the newest turns; older ones are found by search. */
const mostTurns = 2000;

/** A digest takes this part of the usable context, within bounds, in tokens. */
const digestShare = 1 / 16;
const digestTokens = { least: 500, most: 4000 } as const;

/** What a thread says, and the digest that it has. */
export interface ThreadState {
  readonly budget: Budget;
  /** From old to new, without what is deleted, quarantined or rests on a corrected fact. */
  readonly turns: readonly Turn[];
  readonly digest: ThreadDigest | null;
  /** Hash over the turns. */
  readonly sourceHash: string;
}

/** Reads a thread and its digest. Throws `policy_missing` and `policy_invalid`. */
export async function readThread(reader: SnapshotReader): Promise<ThreadState> {
  const { budget } = policiesOf(await reader.guidelines()).budget;
  const at = reader.position.evaluationTime;
  const living = (await reader.tail(mostTurns)).filter(
    ({ lifecycle }) => lifecycleState(lifecycle, at) === 'current' && lifecycle.quarantinedAt === null,
  );
  const provenance = await reader.provenance(living.map(({ ref }) => ref));
  const sources = new Map(provenance.map(({ source }) => [refKey(source), source]));
  const versions = await reader.versions([...sources.values()]);
  const stale = restsOnStale({ provenance, versions, evaluationTime: at });
  const turns = living.filter(({ ref }) => !stale.has(refKey(ref))).toReversed();
  return { budget, turns, digest: await reader.threadDigest(), sourceHash: hashOf(turns) };
}

function hashOf(turns: readonly Turn[]): string {
  return canonicalHash(turns.map((turn) => [turn.ref[1], contentHash(turn)]));
}

/** What is wrong with the digest of a thread, or null: a thread that the tail shows whole needs none. */
export function digestState(state: ThreadState, identity: SummariserIdentity): StaleText['state'] | null {
  const { budget, turns, digest, sourceHash } = state;
  const shown = budget.candidateCaps.volatile_tail;
  if (!budget.compress || turns.length <= shown) return null;
  if (digest === null) return 'missing';
  if (!isBy(digest, identity)) return 'stale';
  if (digest.sourceHash === sourceHash) return null;
  const covered = turns.filter(({ turnIndex }) => turnIndex <= digest.lastTurn);
  if (hashOf(covered) !== digest.sourceHash) return 'stale';
  return turns.length - covered.length > shown ? 'behind' : null;
}

/**
 * Makes the digest of the call's thread anew where it is missing or stale. Safe to repeat and to run twice at once: of
 * two digests one is kept. Throws `policy_missing` and `policy_invalid`.
 */
export async function compactThread(parts: ManagerParts, call: Call, maker?: MakeSummary): Promise<Compaction> {
  const state = await parts.store.read(call.scope, { ...callOptions(call), evaluationTime: null }, readThread);
  const { identity } = await parts.summariser();
  const { budget, turns, digest } = state;
  if (!budget.compress) return told('off', state);
  if (turns.length === 0) return told('empty', state);
  if (digest?.sourceHash === state.sourceHash && isBy(digest, identity)) {
    return told('fresh', state);
  }
  const countTokens = await parts.tokenizer();
  const makeSummary = maker ?? (await summaryMaker(parts, call));
  const maxTokens = tokensOfDigest(budget);
  const made = await makeSummary({ kind: 'turns', turns }, { maxTokens, countTokens });
  if (made.text === '') return { ...told('empty', state), failure: made.failure };
  const ref = await writeDigest(parts, call, { state, made, countTokens });
  const result: Compaction = {
    outcome: ref === null ? 'overtaken' : 'made',
    ref,
    turns: turns.length,
    lastTurn: turns.at(-1)?.turnIndex ?? 0,
    tokens: countTokens(made.text),
    model: made.model,
    failure: made.failure,
  };
  return result;
}

/** A digest is made at every twelfth turn, as many as the tail shows by default, and in long threads less often. */
const firstStep = 12;
const stepsBeforeDoubling = 20;

/**
 * Keeps the digest of a thread that has just got a turn: at set numbers of turns, so that what leaves the tail is in it.
 * A turn waits for no service, and never fails for its digest: where one is configured, `compress` makes digests.
 */
export async function compactInTime(parts: ManagerParts, call: Call, turnIndex: number): Promise<void> {
  if (turnIndex % stepAt(turnIndex) !== 0 || (await parts.summariser()).isRemote) return;
  try {
    await compactThread(parts, call);
  } catch (error) {
    const code = error instanceof MemoryError ? error.code : 'internal';
    // A tenant without a budget has no windows, and needs no digests either.
    if (code !== 'policy_missing') parts.log.warn({ requestId: call.requestId, code, error }, 'a digest was not made');
  }
}

function stepAt(turnIndex: number): number {
  let step = firstStep;
  while (turnIndex > step * stepsBeforeDoubling) step *= 2;
  return step;
}

function tokensOfDigest({ usableContext }: Budget): number {
  const share = Math.floor(usableContext * digestShare);
  return Math.min(digestTokens.most, Math.max(digestTokens.least, share));
}

/** Nothing was made: what stands. */
function told(outcome: 'off' | 'empty' | 'fresh', { digest, turns }: ThreadState): Compaction {
  return {
    outcome,
    ref: digest?.memory.ref ?? null,
    turns: turns.length,
    lastTurn: digest?.lastTurn ?? 0,
    tokens: digest?.tokens ?? 0,
    model: digest?.model ?? null,
    failure: null,
  };
}

async function writeDigest(
  parts: ManagerParts,
  call: Call,
  digest: { readonly state: ThreadState; readonly made: MadeSummary; readonly countTokens: CountTokens },
): Promise<Ref | null> {
  const { state, made, countTokens } = digest;
  const row = digestRow(parts, call, { state, made, tokens: countTokens(made.text) });
  const memory = memoryOf(row, call);
  const index = await indexEntries(await parts.embedder(), inOrder([memory]));
  return parts.store.write(call.scope, callOptions(call), (writer) =>
    writer.putThreadDigest({
      row,
      replaces: state.digest?.memory.ref[1] ?? null,
      sources: state.turns.map(({ ref }) => ref),
      index,
      counts: newTokenCounts([memory], countTokens),
    }),
  );
}

function digestRow(
  parts: ManagerParts,
  { scope }: Call,
  { state, made, tokens }: { readonly state: ThreadState; readonly made: MadeSummary; readonly tokens: number },
): NewSummary {
  const [first, last] = [state.turns[0], state.turns.at(-1)];
  if (first === undefined || last === undefined) throw new MemoryError('internal', 'A digest of no turns.', {});
  const { userId, agentId, threadId } = scope;
  return {
    type: 'summary',
    id: parts.newId('digest'),
    userId,
    agentId,
    threadId,
    validFrom: null,
    validUntil: null,
    createdAt: null,
    writtenBy: userId,
    trust: 'derived',
    sourceEventId: null,
    taskType: digestTaskType,
    title: `Digest of a thread, turns ${first.turnIndex} to ${last.turnIndex}`,
    summary: made.text,
    keySteps: [],
    outcome: null,
    artifacts: digestArtifacts({
      model: made.model,
      promptVersion: made.promptVersion,
      sourceHash: state.sourceHash,
      firstTurn: first.turnIndex,
      lastTurn: last.turnIndex,
      turns: state.turns.length,
      tokens,
    }),
    confidence: null,
    completedAt: last.lifecycle.createdAt,
  };
}

/** The digest as it will be read, for its index rows and its count; its times are the database's. */
function memoryOf(row: NewSummary, { scope }: Call): Summary {
  const { title, summary, keySteps, outcome, completedAt, confidence, trust, sourceEventId } = row;
  return {
    type: 'summary',
    ref: ['summary', row.id, 1],
    scope: { tenantId: scope.tenantId, userId: row.userId, agentId: row.agentId, threadId: row.threadId },
    lifecycle: {
      validFrom: completedAt,
      validUntil: null,
      createdAt: completedAt,
      deletedAt: null,
      supersededBy: null,
      quarantinedAt: null,
    },
    trust,
    sourceEventId,
    title,
    summary,
    keySteps,
    outcome,
    completedAt,
    confidence,
  };
}
