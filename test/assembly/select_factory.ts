// Builds candidates and selection inputs: everything current, tenant-wide and plain unless a test says otherwise.
import { agentId, rowId, tenantId, threadId, userId } from '../../src/model/ids.ts';
import type { Budget, OptionalSlice } from '../../src/model/budget.ts';
import type { Candidate } from '../../src/model/candidate.ts';
import type { Exclusion } from '../../src/model/manifest.ts';
import type {
  Chunk,
  Entity,
  KnownVersion,
  Lifecycle,
  Memory,
  MemoryLink,
  ProvenanceEdge,
  Ref,
  Relation,
  SeatableType,
  Summary,
  Turn,
  Workflow,
} from '../../src/model/memory.ts';
import type { RowScope, Scope } from '../../src/model/scope.ts';
import { instant } from '../../src/model/time.ts';
import type { Selected, Selection, SelectionInput } from '../../src/assembly/select/selection.ts';
import { select } from '../../src/assembly/select/select.ts';

export const evaluationTime = instant('2026-09-28T12:00:00Z');
export const question = 'Is Helios-RAG still the one to beat?';

export const scope: Scope = {
  tenantId: tenantId('acme'),
  userId: userId('jane'),
  agentId: agentId('research'),
  threadId: threadId('now'),
  roles: [],
  oauthScopes: null,
};

export const shared: RowScope = { tenantId: scope.tenantId, userId: null, agentId: null, threadId: null };
export const ofAgent: RowScope = { ...shared, agentId: scope.agentId };
export const ofUser: RowScope = { ...shared, userId: scope.userId };
export const ofThread: RowScope = { ...ofUser, threadId: scope.threadId };

const always: Lifecycle = {
  validFrom: instant('2026-09-01T00:00:00Z'),
  validUntil: null,
  createdAt: instant('2026-09-01T00:00:00Z'),
  deletedAt: null,
  supersededBy: null,
  quarantinedAt: null,
};

const optional = (text: string | undefined) => (text === undefined ? null : instant(text));
/** A lifecycle from dates as text; the rest is current. */
export function lifecycle(parts: Partial<Record<keyof Lifecycle, string>> = {}): Lifecycle {
  return {
    validFrom: optional(parts.validFrom) ?? always.validFrom,
    validUntil: optional(parts.validUntil),
    createdAt: optional(parts.createdAt) ?? optional(parts.validFrom) ?? always.createdAt,
    deletedAt: optional(parts.deletedAt),
    supersededBy: parts.supersededBy === undefined ? null : rowId(parts.supersededBy),
    quarantinedAt: optional(parts.quarantinedAt),
  };
}

/** A version that gave way to the row `next` some weeks before the evaluation time. */
export function supersededBy(next: string): Lifecycle {
  return lifecycle({ validFrom: '2026-06-01T00:00:00Z', validUntil: '2026-09-01T00:00:00Z', supersededBy: next });
}

export function refOf(type: SeatableType | 'document', id: string, version = 1): Ref {
  return [type, rowId(id), version];
}

function row<Type extends SeatableType>(type: Type, id: string, version = 1) {
  return {
    type,
    ref: refOf(type, id, version),
    scope: shared,
    lifecycle: always,
    trust: 'verified' as const,
    sourceEventId: null,
  };
}

export function entity(id: string, parts: Partial<Entity> & { readonly version?: number } = {}): Entity {
  const { version, ...own } = parts;
  return {
    ...row('entity', id, version),
    subject: `subject ${id}`,
    predicate: 'score',
    content: `content of ${id}`,
    conditions: null,
    aliases: [],
    value: null,
    unit: null,
    sourceDocumentId: null,
    confidence: null,
    ...own,
  };
}

export function workflow(id: string, parts: Partial<Workflow> = {}): Workflow {
  return {
    ...row('workflow', id),
    name: `name ${id}`,
    description: `description ${id}`,
    steps: [],
    expectedOutcome: null,
    confidence: null,
    ...parts,
  };
}

export function summary(id: string, parts: Partial<Summary> = {}): Summary {
  return {
    ...row('summary', id),
    title: `title ${id}`,
    summary: `summary ${id}`,
    keySteps: [],
    outcome: null,
    completedAt: always.validFrom,
    confidence: null,
    ...parts,
  };
}

export function turn(id: string, parts: Partial<Turn> = {}): Turn {
  return {
    ...row('conversation', id),
    scope: ofThread,
    role: 'assistant',
    speaker: null,
    text: `text of ${id}`,
    turnIndex: 0,
    runId: null,
    ...parts,
  };
}

export function chunk(id: string, parts: Partial<Chunk> = {}): Chunk {
  return {
    ...row('chunk', id),
    documentId: rowId(`document_of_${id}`),
    documentVersion: 1,
    chunkIndex: 0,
    collection: 'papers',
    title: `title ${id}`,
    sourceUri: `https://example.org/${id}`,
    content: `passage ${id}`,
    ...parts,
  };
}

const usualSlice = {
  entity: 'durable_facts',
  workflow: 'durable_facts',
  chunk: 'evidence',
  summary: 'recalled_history',
  conversation: 'recalled_history',
} as const satisfies Record<SeatableType, OptionalSlice>;

/** A candidate in its type's usual slice; `fused` is its rank where nothing was reranked. */
export function candidate(memory: Memory, parts: Partial<Candidate> & { readonly fused?: number } = {}): Candidate {
  const { fused = 0.5, ...own } = parts;
  return {
    memory,
    slice: usualSlice[memory.type],
    measured: { rerank: null, fused },
    cachedTokens: {},
    compression: null,
    origin: 'query',
    linkedFrom: null,
    ...own,
  };
}

/** A candidate of the current thread's tail. */
export function tailTurn(id: string, turnIndex: number, parts: Partial<Turn> = {}): Candidate {
  return candidate(turn(id, { turnIndex, ...parts }), { slice: 'volatile_tail' });
}

export const budget: Budget = {
  usableContext: 5000,
  outputReserve: 400,
  toolReserve: 1000,
  requestOverheadReserve: 500,
  maxRounds: 3,
  maxToolResultTokens: 1000,
  weights: { rerank: 0.6, confidence: 0.25, recency: 0.15 },
  recencyDays: 60,
  shares: {
    fact_check: { durable_facts: 0.4, evidence: 0.25, recalled_history: 0.1, volatile_tail: 0.25 },
  },
  overflowOrder: ['evidence', 'durable_facts', 'volatile_tail', 'recalled_history'],
  evidence: { maxPerDocument: 3, nearDuplicate: 0.8 },
  candidateCaps: { durable_facts: 50, evidence: 200, recalled_history: 12, volatile_tail: 12 },
  compress: true,
  requiredCorrections: true,
  implicitRun: { maxRounds: 20, toolReserve: 16_000, maxToolResultTokens: 2000, idleSeconds: 300 },
  weakBelow: 0.3,
  encoding: 'o200k_base',
};

/** What a test may set; `budget` and `plan` in parts. */
export interface InputParts extends Partial<Omit<SelectionInput, 'policy' | 'plan' | 'candidates'>> {
  readonly budget?: Partial<Budget>;
  readonly plan?: Partial<SelectionInput['plan']>;
}

export function inputOf(candidates: readonly Candidate[], parts: InputParts = {}): SelectionInput {
  const { budget: budgetParts, plan: planParts, ...own } = parts;
  return {
    policy: { ref: ['guideline', rowId('budget'), 1], budget: { ...budget, ...budgetParts } },
    scope,
    question,
    plan: {
      intent: 'fact_check',
      subjects: [],
      predicates: [],
      collections: [],
      timeRange: null,
      languageHints: [],
      ...planParts,
    },
    candidates,
    provenance: [],
    versions: [],
    links: [],
    evaluationTime,
    named: [],
    ...own,
  };
}

export function selectFrom(candidates: readonly Candidate[], parts: InputParts = {}): Selection {
  return select(inputOf(candidates, parts));
}

export function derives(derived: Ref, source: Ref, relation: Relation = 'derived_from'): ProvenanceEdge {
  return { derived, source, relation };
}

export function contradicts(source: Ref, target: Ref): MemoryLink {
  return { source, target, relation: 'contradicts' };
}

export function versionOf(memory: Memory): KnownVersion {
  return {
    ref: memory.ref,
    scope: memory.scope,
    lifecycle: memory.lifecycle,
    identity: memory.type === 'entity' ? memory : null,
  };
}

/** Everything that survived, slices in rendering order, then results. */
export function survivorsOf({ slices, results }: Selection): readonly Selected[] {
  return [...slices.durable_facts, ...slices.evidence, ...slices.recalled_history, ...slices.volatile_tail, ...results];
}

export function idsOf(selected: readonly Selected[]): readonly string[] {
  return selected.map((entry) => entry.candidate.memory.ref[1]);
}

export function survivingIds(selection: Selection): readonly string[] {
  return idsOf(survivorsOf(selection));
}

/** The survivor with this id; a test fails where there is none. */
export function survivor(selection: Selection, id: string): Selected {
  const found = survivorsOf(selection).find((entry) => entry.candidate.memory.ref[1] === id);
  if (found === undefined) throw new Error(`${id} did not survive`);
  return found;
}

/** Exclusions as `id: rule` with their details. */
export function exclusionsOf(
  selection: Selection,
): readonly (readonly [string, Exclusion['rule'], Exclusion['detail']])[] {
  return selection.excluded.map(({ ref, rule, detail }) => [ref[1], rule, detail]);
}
