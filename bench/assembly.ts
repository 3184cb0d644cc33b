// Benchmark of the pure assembly: 500 candidates with cached counts (goal: under 10 ms at the median), growth with their
// number, and hostile sizes. Prints a table with the machine; --json gives one JSON value.

import { cpus } from 'node:os';
import { assemble } from '../src/assembly/assemble.ts';
import type { AssemblyInput } from '../src/assembly/assembly_input.ts';
import { formsAt, renderForm } from '../src/assembly/fit.ts';
import type { Selected } from '../src/assembly/select/selection.ts';
import { summarise } from '../src/assembly/summarise/summarise.ts';
import { assembleToolResult } from '../src/assembly/tool_result.ts';
import type { Budget, OptionalSlice } from '../src/model/budget.ts';
import { type CachedTokens, type Candidate, type Status, tiers } from '../src/model/candidate.ts';
import { rowId, runId, tenantId, threadId, userId } from '../src/model/ids.ts';
import type { Memory } from '../src/model/memory.ts';
import type { RowScope, Scope } from '../src/model/scope.ts';
import { instant, instantFromMicros, microsOf } from '../src/model/time.ts';
import type { CountTokens } from '../src/model/window.ts';
import { loadTokenizer } from '../src/tokens/tokenizer.ts';

const evaluationTime = instant('2026-09-28T12:00:00Z');
const scope: Scope = {
  tenantId: tenantId('acme'),
  userId: userId('jane'),
  agentId: null,
  threadId: threadId('t1'),
  roles: [],
  oauthScopes: null,
};
const shares = { durable_facts: 0.25, evidence: 0.4, recalled_history: 0.15, volatile_tail: 0.2 };
const budget: Budget = {
  usableContext: 5000,
  outputReserve: 400,
  toolReserve: 1000,
  requestOverheadReserve: 500,
  maxRounds: 3,
  maxToolResultTokens: 1000,
  weights: { rerank: 0.6, confidence: 0.25, recency: 0.15 },
  recencyDays: 60,
  shares: { default: shares, comparison: shares },
  overflowOrder: ['evidence', 'durable_facts', 'volatile_tail', 'recalled_history'],
  evidence: { maxPerDocument: 3, nearDuplicate: 0.8 },
  candidateCaps: { durable_facts: 5000, evidence: 5000, recalled_history: 5000, volatile_tail: 5000 },
  compress: false,
  requiredCorrections: true,
  implicitRun: { maxRounds: 20, toolReserve: 16_000, maxToolResultTokens: 2000, idleSeconds: 300 },
  weakBelow: 0.3,
  encoding: 'o200k_base',
};

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const syllables = 'ba re mi lo tu ke sa no vi da fe go hu ji pa qui ri so te wu'.split(' ');

function text(next: () => number, words: number): string {
  const word = () =>
    Array.from({ length: 1 + Math.floor(next() * 3) }, () => syllables[Math.floor(next() * syllables.length)]).join('');
  return Array.from({ length: words }, word).join(' ');
}

function memoryOf(index: number, next: () => number): { readonly memory: Memory; readonly slice: OptionalSlice } {
  const validFrom = instantFromMicros(microsOf(evaluationTime) - Math.floor(next() * 90 * 86_400) * 1_000_000);
  const rowScope: RowScope = { tenantId: scope.tenantId, userId: scope.userId, agentId: null, threadId: null };
  const row = {
    scope: rowScope,
    lifecycle: {
      validFrom,
      validUntil: null,
      createdAt: validFrom,
      deletedAt: null,
      supersededBy: null,
      quarantinedAt: null,
    },
    trust: 'stated',
    sourceEventId: null,
  } as const;
  const id = rowId(`row_${index}`);
  const confidence = next();
  switch (index % 5) {
    case 0: {
      const fact = { subject: `s${index}`, predicate: 'is', conditions: null, aliases: [], value: null, unit: null };
      const content = text(next, 20);
      return {
        slice: 'durable_facts',
        memory: {
          ...row,
          ...fact,
          type: 'entity',
          ref: ['entity', id, 1],
          content,
          sourceDocumentId: null,
          confidence,
        },
      };
    }
    case 1: {
      const [title, summary] = [text(next, 4), text(next, 60)];
      const episode = { title, summary, keySteps: [text(next, 30)], outcome: null, completedAt: validFrom, confidence };
      return { slice: 'recalled_history', memory: { ...row, ...episode, type: 'summary', ref: ['summary', id, 1] } };
    }
    case 2: {
      const thread = { ...rowScope, threadId: scope.threadId };
      const said = { role: 'user', speaker: null, text: text(next, 40), turnIndex: index, runId: null } as const;
      return {
        slice: 'volatile_tail',
        memory: { ...row, ...said, scope: thread, type: 'conversation', ref: ['conversation', id, 1] },
      };
    }
    default: {
      const document = { documentId: rowId(`doc_${index % 97}`), documentVersion: 1, chunkIndex: index };
      const source = { collection: 'c', title: text(next, 5), sourceUri: `https://example.org/${index}` };
      return {
        slice: 'evidence',
        memory: { ...row, ...document, ...source, type: 'chunk', ref: ['chunk', id, 1], content: text(next, 150) },
      };
    }
  }
}

const usual: Readonly<Record<Memory['type'], Status>> = {
  entity: 'current',
  workflow: 'current',
  summary: 'historical',
  conversation: 'unverified',
  chunk: 'evidence',
};

function cachedTokensOf(candidate: Candidate, countTokens: CountTokens): CachedTokens {
  const scores = { priority: 0, p: 0, confidence: 0, recency: 0, source: 'fused', raw: 0 } as const;
  const one: Selected = { candidate, status: usual[candidate.memory.type], annotations: [], scores };
  let cachedTokens: CachedTokens = {};
  for (const tier of tiers) {
    const [form] = formsAt(one, tier);
    if (form !== undefined) cachedTokens = { ...cachedTokens, [tier]: countTokens(renderForm(one, form)) };
  }
  return cachedTokens;
}

function candidatesOf(count: number, countTokens: CountTokens | null): readonly Candidate[] {
  const next = numbers(7);
  return Array.from({ length: count }, (_, index): Candidate => {
    const measured = { rerank: { kind: 'logit', value: next() * 8 - 4 }, fused: next() } as const;
    const rest = { measured, cachedTokens: {}, compression: null, origin: 'query', linkedFrom: null } as const;
    const candidate = { ...memoryOf(index, next), ...rest };
    return countTokens === null ? candidate : { ...candidate, cachedTokens: cachedTokensOf(candidate, countTokens) };
  });
}

function inputOf(candidates: readonly Candidate[], countTokens: CountTokens): AssemblyInput {
  return {
    policy: { ref: ['guideline', rowId('context_context_budget'), 1], budget },
    retrieval: {
      ref: null,
      fusion: { method: 'scaled_sum', weights: {} },
      rerank: { candidates: 50, deadlineMs: 100 },
      hops: 0,
    },
    scope,
    question: 'Which of the systems leads, and since when?',
    plan: { intent: 'open', subjects: [], predicates: [], collections: [], timeRange: null, languageHints: [] },
    candidates,
    provenance: [],
    versions: [],
    links: [],
    evaluationTime,
    named: [],
    prefix: { guidelines: [], personas: [], tools: [] },
    record: {
      manifestId: rowId('manifest_1'),
      runId: runId('run_1'),
      round: 0,
      client: null,
      model: null,
      embedder: 'none',
      reranker: 'none',
      fallbacks: [],
      mode: 'embedded',
      incarnation: 'bench',
      scn: '0',
      providerCount: null,
    },
    countTokens,
  };
}

interface Line {
  readonly name: string;
  readonly rounds: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** Processor time a round, which a busy machine changes less. */
  readonly cpuMs: number;
}

function time(name: string, rounds: number, run: () => unknown): Line {
  for (let warm = 0; warm < Math.min(rounds, 10); warm += 1) run();
  const cpuBefore = process.cpuUsage();
  const samples = Array.from({ length: rounds }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  }).toSorted((a, b) => a - b);
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMs = Math.round((user + system) / rounds / 10) / 100;
  const at = (part: number) => Math.round((samples[Math.min(rounds - 1, Math.floor(rounds * part))] ?? 0) * 100) / 100;
  return { name, rounds, medianMs: at(0.5), p95Ms: at(0.95), cpuMs };
}

/** One candidate whose text is of this kind, in a window and in the summariser. */
function hostile(name: string, content: string, countTokens: CountTokens): readonly Line[] {
  const next = numbers(3);
  const { memory, slice } = memoryOf(3, next);
  const large = memory.type === 'chunk' ? { ...memory, content } : memory;
  const candidate: Candidate = {
    memory: large,
    slice,
    measured: { rerank: null, fused: 1 },
    cachedTokens: {},
    compression: null,
    origin: 'query',
    linkedFrom: null,
  };
  return [
    time(`window with ${name}`, 3, () => assemble(inputOf([candidate], countTokens))),
    time(`tokens of ${name}`, 3, () => countTokens(content)),
    time(`summary of ${name}`, 3, () => summarise(content, 500, countTokens)),
  ];
}

const loadStarted = performance.now();
const countTokens = await loadTokenizer();
const loadMs = Math.round(performance.now() - loadStarted);
const cached = new Map([500, 1000, 2000, 5000].map((count) => [count, candidatesOf(count, countTokens)]));
const window = (count: number) => assemble(inputOf(cached.get(count) ?? [], countTokens));
const uncached = candidatesOf(500, null);
const passages = candidatesOf(50, countTokens)
  .filter(({ memory }) => memory.type === 'chunk')
  .map((one) => ({ ...one, slice: null }));

const lines: readonly Line[] = [
  time('500 candidates, cached counts', 60, () => window(500)),
  time('1,000 candidates, cached counts', 30, () => window(1000)),
  time('2,000 candidates, cached counts', 20, () => window(2000)),
  time('5,000 candidates, cached counts', 10, () => window(5000)),
  time('500 candidates, nothing cached', 5, () => assemble(inputOf(uncached, countTokens))),
  time('tool result, 5 of 20 passages', 40, () =>
    assembleToolResult({
      ...inputOf(passages, countTokens),
      loop: {
        kind: 'implicit',
        tokensLeft: 16_000,
        roundsLeft: 20,
        maxToolResultTokens: 2000,
        request: { messages: [], tools: [] },
      },
      call: { id: 'call_1', tool: 'search_memory', arguments: '{}' },
      order: 'ranked',
      limit: 5,
      tiers: ['full', 'summary', 'pointer'],
      notes: [],
      moreHint: 'more',
      admittedBy: 'fit',
    }),
  ),
  ...hostile('1 MB of words', text(numbers(11), 230_000), countTokens),
  ...hostile('200,000 equal characters', 'a'.repeat(200_000), countTokens),
  ...hostile('1 MB of long words', `${'x'.repeat(900)} `.repeat(1100), countTokens),
];

const [first] = lines;
const machine = `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`;
const goal = { name: '500 candidates with cached counts under 10 ms', met: (first?.medianMs ?? Infinity) < 10 };
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ bench: 'assembly', machine, loadTokenizerMs: loadMs, goal, lines }));
} else {
  console.log(`assembly on ${machine}; tokenizer loaded in ${loadMs} ms\n`);
  console.table(Object.fromEntries(lines.map(({ name, ...figures }) => [name, figures])));
  console.log(`${goal.name}: ${goal.met ? 'met' : 'NOT met'}`);
}
