// Reads one window in one snapshot (design N3): policies, prefix, plan, candidates by slice (Q10).

import type { PrefixRows } from '../assembly/assembly_input.ts';
import type { OptionalSlice } from '../model/budget.ts';
import type { JsonObject } from '../model/json.ts';
import type { Guideline, Ref } from '../model/memory.ts';
import type { Intent, Plan } from '../model/plan.ts';
import type { Scope } from '../model/scope.ts';
import { makePlan } from '../retrieval/plan.ts';
import { questionNames } from '../retrieval/names.ts';
import type { Position, SnapshotReader } from '../store/store.ts';
import { gather, type Gathered, type GatheredRow, type Wanted } from './gather.ts';
import type { ManagerLog } from './parts.ts';
import { policiesOf, type Policies } from './policies.ts';
import { poolsOf, retrieve, searchedSlices } from './retrieve.ts';
import { usableTools, type UsableTool } from './toolbox.ts';

/** What one snapshot said. */
export interface WindowSnapshot {
  readonly position: Position;
  readonly policies: Policies;
  readonly prefix: PrefixRows;
  readonly usable: readonly UsableTool[];
  readonly plan: Plan;
  /** Rows whose words stand in the plan, candidates or not. */
  readonly consulted: readonly Ref[];
  readonly gathered: Gathered;
  /** Counts and scores for the retrieval event; no memory text. */
  readonly retrieval: JsonObject;
}

/** What is asked of a snapshot. */
export interface SnapshotQuestion {
  readonly scope: Scope;
  readonly question: string;
  readonly questionVector: Float32Array | null;
  readonly intent: Intent | null;
  readonly log: ManagerLog;
}

/** The rows that every call needs: policies and the static prefix. */
export async function readPrefix(
  reader: SnapshotReader,
  options: { readonly scope: Scope; readonly log: ManagerLog },
): Promise<{
  readonly guidelines: readonly Guideline[];
  readonly prefix: PrefixRows;
  readonly usable: readonly UsableTool[];
}> {
  const guidelines = await reader.guidelines();
  const personas = await reader.personas();
  const usable = usableTools(await reader.tools(), { ...options, at: reader.position.evaluationTime });
  return { guidelines, prefix: { guidelines, personas, tools: usable.map(({ tool }) => tool) }, usable };
}

/**
 * The plan of a question: subjects are matched against the caller's own memory (design Q1). `consulted` are the facts
 * whose names and predicates stand in it.
 */
export async function planOf(
  reader: SnapshotReader,
  question: string,
  intent: Intent | null,
): Promise<{ readonly plan: Plan; readonly consulted: readonly Ref[] }> {
  const subjects = await reader.subjectsNamed(questionNames(question));
  const facts = await reader.entitiesOf(
    subjects.map(({ subject }) => subject),
    null,
  );
  const plan = makePlan(question, {
    evaluationTime: reader.position.evaluationTime,
    subjects,
    collections: await reader.collections(),
    predicates: facts.map(({ predicate }) => predicate),
  });
  return { plan: intent === null ? plan : { ...plan, intent }, consulted: facts.map(({ ref }) => ref) };
}

/** Reads all that a window is made of. Throws `policy_missing` and `policy_invalid`. */
export async function readWindow(reader: SnapshotReader, asked: SnapshotQuestion): Promise<WindowSnapshot> {
  const { guidelines, prefix, usable } = await readPrefix(reader, asked);
  const policies = policiesOf(guidelines);
  const { plan, consulted } = await planOf(reader, asked.question, asked.intent);
  const caps = policies.budget.budget.candidateCaps;
  const tail: readonly GatheredRow[] = (await reader.tail(caps.volatile_tail + 1)).map((memory) => ({
    memory,
    slice: 'volatile_tail',
    fused: 0,
    linkedFrom: null,
  }));
  const found = await retrieve(reader, {
    question: asked.question,
    plan,
    questionVector: asked.questionVector,
    policy: policies.retrieval,
    limits: poolsOf(caps),
    exclude: tail.map(({ memory }) => memory.ref),
  });
  const wanted = searchedSlices.flatMap((slice): readonly Wanted[] =>
    (found.slices[slice] ?? []).map(({ ref, fused }) => ({ ref, slice, fused })),
  );
  const gathered = await gather(reader, wanted, {
    read: [...tail, ...(await digestRows(reader, { turns: tail.length, shown: caps.volatile_tail }))],
    companions: 'durable_facts' satisfies OptionalSlice,
    hops: policies.retrieval.hops,
  });
  return { position: reader.position, policies, prefix, usable, plan, consulted, gathered, retrieval: found.record };
}

/** How well a digest fits a question that nothing was measured against: neither the best nor the worst. */
const unmeasured = 0.5;

/** The thread's digest, where the tail cannot show the whole thread: it competes as recalled history (design C1, Q10). */
async function digestRows(
  reader: SnapshotReader,
  { turns, shown }: { readonly turns: number; readonly shown: number },
): Promise<readonly GatheredRow[]> {
  if (turns <= shown) return [];
  const digest = await reader.threadDigest();
  if (digest === null) return [];
  return [{ memory: digest.memory, slice: 'recalled_history', fused: unmeasured, linkedFrom: null }];
}
