// Fusion (design Q4): several measurements of the same candidates become one score in 0..1.

import { type SignalName, signalNames } from '../model/budget.ts';
import { type Ref, refKey } from '../model/memory.ts';

/**
 * Weights where the policy names none. Lexical is BM25 over all fields, title says that the question names the row's
 * whole title or speaker, group is BM25 of the whole thread or document, time says that the row is of the time that the
 * question names, named that the plan names the entity; measured with bench/retrieval.ts, and flat around these values.
 * A turn's own vector says less than late interaction, which reads the same text word by word.
 */
export const defaultWeights: Readonly<Record<SignalName, number>> = {
  lexical: 1,
  title: 0.8,
  group: 0.4,
  time: 0.5,
  vector_text: 0,
  vector_context: 0.9,
  named: 1,
};

/** The same for passages: a turn is short and needs what was said around it, a passage says most of it itself. */
const passageWeights: Readonly<Record<SignalName, number>> = {
  ...defaultWeights,
  vector_text: 0.4,
  vector_context: 0.3,
};

/** How far reciprocal rank looks past the first places. */
const reciprocalRankOffset = 60;

/** How to fuse; a weight that is missing is the default. */
export interface Fusion {
  readonly method: 'scaled_sum' | 'reciprocal_rank';
  readonly weights: Readonly<Partial<Record<SignalName, number>>>;
  /** False: words count in full however few of them a passage holds. The benchmark compares with that. */
  readonly doubtsWords?: boolean;
}

/** One measurement of a candidate in a signal's own unit; higher is better, 0 or less counts as nothing. */
export interface Measurement {
  readonly ref: Ref;
  readonly score: number;
}

/** A signal with everything that it measured. A signal that measured nothing takes no part. */
export interface Signal {
  readonly name: SignalName;
  readonly measurements: readonly Measurement[];
  /** 0..1: how far its measurements are to be believed for this question; 1 where it is absent. */
  readonly confidence?: number;
}

/** A candidate after fusion. */
export interface RankedRef {
  readonly ref: Ref;
  /** 0..1 within its candidate set. */
  readonly fused: number;
  /** What each signal said, in its own unit; a signal that did not measure it is absent. */
  readonly signals: Readonly<Partial<Record<SignalName, number>>>;
}

/** Every signal's weight: the policy's, else the default one for passages or for all else. */
export function weightsOf(fusion: Fusion, passages: boolean): Readonly<Record<SignalName, number>> {
  return { ...(passages ? passageWeights : defaultWeights), ...fusion.weights };
}

/** Fuses the signals: best first, equal scores by type, id and version. The order of the input does not matter. */
export function fuse(signals: readonly Signal[], fusion: Fusion): readonly RankedRef[] {
  const used = signalNames.flatMap((name) => {
    const named = signals.filter((signal) => signal.name === name);
    const measurements = named.flatMap((signal) => signal.measurements);
    const confidence = named[0]?.confidence ?? 1;
    const weight = fusion.weights[name] ?? defaultWeights[name];
    const positive = measurements.some((measurement) => measurement.score > 0);
    return positive && weight > 0 ? [{ name, measurements, weight, confidence }] : [];
  });
  const total = used.reduce((sum, signal) => sum + signal.weight, 0);
  const candidates = candidatesOf(signals);
  for (const { name, measurements, weight, confidence } of used) {
    const { ordered, values } =
      fusion.method === 'scaled_sum' ? sharesOfBest(measurements) : reciprocalRanks(measurements);
    for (const [place, { ref, score }] of ordered.entries()) {
      const candidate = candidates.get(ref);
      if (candidate === undefined || candidate.signals[name] !== undefined) continue;
      candidate.signals[name] = score;
      candidate.sum += weight * confidence * (values[place] ?? 0);
    }
  }
  return [...new Set(candidates.values())]
    .map(({ ref, sum, signals: measured }) => ({
      ref,
      fused: total > 0 ? roundScore(sum / total) : 0,
      signals: measured,
    }))
    .toSorted((a, b) => b.fused - a.fused || compareRefs(a.ref, b.ref));
}

interface FusedCandidate {
  readonly ref: Ref;
  sum: number;
  readonly signals: Partial<Record<SignalName, number>>;
}

/** What is measured, by each ref that names it: several signals bring the same refs, and a key is made once of each. */
function candidatesOf(signals: readonly Signal[]): ReadonlyMap<Ref, FusedCandidate> {
  const candidates = new Map<Ref, FusedCandidate>();
  const byKey = new Map<string, FusedCandidate>();
  for (const { measurements } of signals) {
    for (const { ref } of measurements) {
      if (candidates.has(ref)) continue;
      const key = refKey(ref);
      const candidate = byKey.get(key) ?? { ref, sum: 0, signals: {} };
      byKey.set(key, candidate);
      candidates.set(ref, candidate);
    }
  }
  return candidates;
}

/** Measurements in the order in which they count, and what each is worth, 0..1. */
interface Valued {
  readonly ordered: readonly Measurement[];
  readonly values: readonly number[];
}

// A share of the best keeps what the scores know, and unlike the distance from the worst it holds in small sets too.
function sharesOfBest(measurements: readonly Measurement[]): Valued {
  const best = measurements.reduce((most, { score }) => Math.max(most, score), 0);
  return { ordered: measurements, values: measurements.map(({ score }) => (best > 0 ? Math.max(0, score) / best : 0)) };
}

function reciprocalRanks(measurements: readonly Measurement[]): Valued {
  const ordered = measurements.toSorted((a, b) => b.score - a.score || compareRefs(a.ref, b.ref));
  const values = ordered.map(({ score }, rank) =>
    score > 0 ? (reciprocalRankOffset + 1) / (reciprocalRankOffset + 1 + rank) : 0,
  );
  return { ordered, values };
}

/** Six decimals: machines may differ in the last bits of a sum, not in an order that anyone relies on. */
function roundScore(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

/** Orders refs by type, id and version, by code unit. */
export function compareRefs(a: Ref, b: Ref): number {
  return byCodeUnit(a[0], b[0]) || byCodeUnit(a[1], b[1]) || a[2] - b[2];
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
