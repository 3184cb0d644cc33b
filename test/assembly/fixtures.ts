// Values that the tests of the assembly build on: a scope, rows, candidates, a budget, a tokenizer.

import type { AssemblyInput, LoopState, ToolResultInput } from '../../src/assembly/assembly_input.ts';
import type { Budget, OptionalSlice } from '../../src/model/budget.ts';
import type { Candidate } from '../../src/model/candidate.ts';
import { agentId, rowId, runId, tenantId, threadId, userId } from '../../src/model/ids.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type {
  Chunk,
  Entity,
  Guideline,
  KnownVersion,
  Lifecycle,
  Memory,
  Persona,
  Ref,
  Summary,
  Tool,
  Turn,
  Workflow,
} from '../../src/model/memory.ts';
import type { RowScope, Scope } from '../../src/model/scope.ts';
import { instant } from '../../src/model/time.ts';
import { loadTokenizer } from '../../src/tokens/tokenizer.ts';

/** o200k_base. */
export const countTokens = await loadTokenizer();

export const evaluationTime = instant('2026-09-28T12:00:00Z');

export const scope: Scope = {
  tenantId: tenantId('acme'),
  userId: userId('jane'),
  agentId: agentId('researcher'),
  threadId: threadId('t1'),
  roles: [],
  oauthScopes: null,
};

export const tenantWide: RowScope = { tenantId: scope.tenantId, userId: null, agentId: null, threadId: null };
export const ofUser: RowScope = { ...tenantWide, userId: scope.userId };
export const ofThread: RowScope = { ...ofUser, agentId: scope.agentId, threadId: scope.threadId };

export function lifecycle(change: Partial<Lifecycle> = {}): Lifecycle {
  return {
    validFrom: instant('2026-07-01T00:00:00Z'),
    validUntil: null,
    createdAt: instant('2026-07-01T00:00:00Z'),
    deletedAt: null,
    supersededBy: null,
    quarantinedAt: null,
    ...change,
  };
}

function row(scopeOfRow: RowScope) {
  return { scope: scopeOfRow, lifecycle: lifecycle(), trust: 'stated', sourceEventId: null } as const;
}

export function guideline(key: string, value: JsonValue, change: Partial<Guideline> = {}): Guideline {
  return {
    ...row(tenantWide),
    type: 'guideline',
    ref: ['guideline', rowId(`g_${key.replace(/\W/g, '_')}`), 1],
    key,
    value,
    ...change,
  };
}

export function persona(key: string, value: JsonValue, change: Partial<Persona> = {}): Persona {
  const ref: Ref = ['persona', rowId(`p_${key.replace(/\W/g, '_')}`), 1];
  return { ...row(ofUser), type: 'persona', ref, key, value, confidence: null, ...change };
}

export function tool(name: string, change: Partial<Tool> = {}): Tool {
  return {
    ...row(tenantWide),
    type: 'toolbox',
    ref: ['toolbox', rowId(`tool_${name}`), 1],
    name,
    schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    handler: name,
    accessPolicy: {},
    usageNotes: `Use ${name} to look further.`,
    ...change,
  };
}

export function entity(id: string, content: string, change: Partial<Entity> = {}): Entity {
  return {
    ...row(tenantWide),
    type: 'entity',
    ref: ['entity', rowId(id), 1],
    subject: `subject:${id}`,
    predicate: 'is',
    content,
    conditions: null,
    aliases: [],
    value: null,
    unit: null,
    sourceDocumentId: null,
    confidence: 0.9,
    ...change,
  };
}

export function workflow(id: string, change: Partial<Workflow> = {}): Workflow {
  return {
    ...row(tenantWide),
    type: 'workflow',
    ref: ['workflow', rowId(id), 1],
    name: `workflow ${id}`,
    description: 'How the index is rebuilt',
    steps: ['stop the writers', 'rebuild', 'start the writers'],
    expectedOutcome: 'the index answers again',
    confidence: null,
    ...change,
  };
}

export function chunk(id: string, content: string, change: Partial<Chunk> = {}): Chunk {
  return {
    ...row(tenantWide),
    type: 'chunk',
    ref: ['chunk', rowId(id), 1],
    documentId: rowId(`doc_${id}`),
    documentVersion: 1,
    chunkIndex: 0,
    collection: 'papers',
    title: `Document of ${id}`,
    sourceUri: `https://example.org/${id}`,
    content,
    ...change,
  };
}

export function summary(id: string, text: string, change: Partial<Summary> = {}): Summary {
  return {
    ...row(ofUser),
    type: 'summary',
    ref: ['summary', rowId(id), 1],
    title: `Episode ${id}`,
    summary: text,
    keySteps: [],
    outcome: null,
    completedAt: instant('2026-07-20T00:00:00Z'),
    confidence: 0.7,
    ...change,
  };
}

export function turn(turnIndex: number, text: string, change: Partial<Turn> = {}): Turn {
  return {
    ...row(ofThread),
    type: 'conversation',
    ref: ['conversation', rowId(`turn_${turnIndex}`), 1],
    role: turnIndex % 2 === 0 ? 'user' : 'assistant',
    speaker: null,
    text,
    turnIndex,
    runId: null,
    ...change,
  };
}

function sliceOf(memory: Memory): OptionalSlice {
  if (memory.type === 'entity' || memory.type === 'workflow') return 'durable_facts';
  return memory.type === 'chunk' ? 'evidence' : 'recalled_history';
}

export function candidate(memory: Memory, change: Partial<Candidate> = {}): Candidate {
  return {
    memory,
    slice: sliceOf(memory),
    measured: { rerank: null, fused: 0.5 },
    cachedTokens: {},
    compression: null,
    origin: memory.type === 'summary' ? 'model' : 'query',
    linkedFrom: null,
    ...change,
  };
}

/** The version of a fact that is no candidate: enough to judge what rests on it. */
export function knownVersion(fact: Entity): KnownVersion {
  const { ref, scope: rowScope, subject, predicate, conditions } = fact;
  return { ref, scope: rowScope, lifecycle: fact.lifecycle, identity: { subject, predicate, conditions } };
}

const even = { durable_facts: 0.25, evidence: 0.25, recalled_history: 0.25, volatile_tail: 0.25 };

export function budget(change: Partial<Budget> = {}): Budget {
  return {
    usableContext: 5000,
    outputReserve: 400,
    toolReserve: 1000,
    requestOverheadReserve: 500,
    maxRounds: 3,
    maxToolResultTokens: 1000,
    weights: { rerank: 0.6, confidence: 0.25, recency: 0.15 },
    recencyDays: 60,
    shares: {
      comparison: { durable_facts: 0.15, evidence: 0.6, recalled_history: 0.05, volatile_tail: 0.2 },
      fact_check: { durable_facts: 0.4, evidence: 0.25, recalled_history: 0.1, volatile_tail: 0.25 },
      open: even,
    },
    overflowOrder: ['evidence', 'durable_facts', 'volatile_tail', 'recalled_history'],
    evidence: { maxPerDocument: 3, nearDuplicate: 0.8 },
    candidateCaps: { durable_facts: 50, evidence: 200, recalled_history: 12, volatile_tail: 12 },
    compress: true,
    requiredCorrections: true,
    implicitRun: { maxRounds: 20, toolReserve: 16_000, maxToolResultTokens: 2000, idleSeconds: 300 },
    weakBelow: 0.3,
    encoding: 'o200k_base',
    ...change,
  };
}

const budgetRef: Ref = ['guideline', rowId('context_context_budget'), 1];

/** A window's inputs: few rows, intent fact_check. */
export function input(change: Partial<AssemblyInput> = {}): AssemblyInput {
  return {
    policy: { ref: budgetRef, budget: budget() },
    retrieval: {
      ref: null,
      fusion: { method: 'scaled_sum', weights: {} },
      rerank: { candidates: 50, deadlineMs: 100 },
      hops: 0,
    },
    scope,
    question: 'Which system leads on BEIR?',
    plan: {
      intent: 'fact_check',
      subjects: [],
      predicates: [],
      collections: [],
      timeRange: null,
      languageHints: [],
    },
    candidates: [],
    provenance: [],
    versions: [],
    links: [],
    evaluationTime,
    named: [],
    prefix: {
      guidelines: [guideline('style', 'Answer in two sentences.'), guideline('context_budget', { usable_context: 1 })],
      personas: [persona('role', 'Head of research')],
      tools: [tool('search_memory'), tool('expand')],
    },
    record: {
      manifestId: rowId('manifest_1'),
      runId: runId('run_1'),
      round: 0,
      client: { name: 'host', version: '1.0' },
      model: null,
      embedder: 'static-1',
      reranker: 'late-1',
      fallbacks: [],
      mode: 'embedded',
      incarnation: 'inc1',
      scn: '42',
      providerCount: null,
    },
    countTokens,
    ...change,
  };
}

/** The inputs of a tool result in an implicit run, unless a loop says otherwise. */
export function resultInput(
  change: Partial<Omit<ToolResultInput, 'loop'>> & { readonly loop?: Partial<LoopState> } = {},
): ToolResultInput {
  const { loop, ...rest } = change;
  return {
    ...input(),
    loop: {
      kind: 'implicit',
      tokensLeft: 16_000,
      roundsLeft: 20,
      maxToolResultTokens: 2000,
      request: { messages: [], tools: [] },
      ...loop,
    },
    call: { id: 'call_1', tool: 'search_memory', arguments: '{"query":"retention"}' },
    order: 'ranked',
    limit: 5,
    tiers: ['full', 'summary', 'pointer'],
    notes: [],
    moreHint: 'Ask again with a higher limit.',
    admittedBy: 'fit',
    ...rest,
  };
}

/** Text of about so many words, different for each seed. */
export function words(count: number, seed: string): string {
  return Array.from({ length: count }, (_, index) => `${seed}${index % 7 === 0 ? index : ''} term${index % 13}`).join(
    ' ',
  );
}
