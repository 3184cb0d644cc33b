// What must be true of the demo's story: each fact is looked up in what came out, never assumed.

import type { WindowResult } from '../manager/manager.ts';
import type { RefJson } from '../model/manifest.ts';
import type { DemoCall } from './demo_agent.ts';
import type { Story } from './demo_story.ts';
import { userMessage } from './memory_block.ts';

/** A statement, and whether it holds. */
export interface Fact {
  readonly says: string;
  readonly holds: boolean;
}

// Rows of seeds/acme_memory.json, a word of the passage in seeds/corpus_platform.json, and one of every row of globex.
const correctedFact = 'entity ctxseed_2688f0418960d68379370cf8 2';
const replacedFact = 'entity ctxseed_ac760ed5f12c3f9fa0459951 1';
const julySummary = 'summary context_july_summary 1';
const retentionSetting = 'eventExpiryDuration';
const otherTenant = 'globex-canary';
const budgetTokens = 5000;
const reserveTokens = 1000;
const rounds = 3;

const keyOf = (ref: RefJson) => ref.join(' ');

/** The facts of the window, then those of the calls. */
export function factsOf(story: Story, window: WindowResult, calls: readonly DemoCall[]): readonly Fact[] {
  return [...windowFacts(story, window), ...callFacts(calls), otherTenantFact(window, calls)];
}

function windowFacts(story: Story, { request, manifest }: WindowResult): readonly Fact[] {
  const { memories, excluded, totals } = manifest;
  const corrected = memories.find(({ ref }) => keyOf(ref) === correctedFact);
  const summary = memories.find(({ ref }) => keyOf(ref) === julySummary);
  const reserves = totals.usable_context - totals.fixed_total - totals.optional_used - totals.left;
  return [
    {
      says: 'The corrected score, 0.78 (version 2), stands in the window at full size, as current',
      holds: corrected?.tier === 'full' && corrected.status === 'current' && userMessage(request).includes('0.78'),
    },
    {
      says: 'The old score, version 1, is left out by rule lifecycle',
      holds:
        excluded.some(({ ref, rule }) => keyOf(ref) === replacedFact && rule === 'lifecycle') &&
        memories.every(({ ref }) => keyOf(ref) !== replacedFact),
    },
    {
      says: "July's summary, which still says 0.92, stands as history with the correction attached",
      holds:
        summary?.status === 'historical' &&
        summary.annotation_refs.some(({ current }) => current !== null && keyOf(current) === correctedFact),
    },
    {
      says: "Jane's question comes last",
      holds: request.messages.at(-1)?.role === 'user' && userMessage(request).endsWith(`\n\n${story.question}`),
    },
    {
      says: `All is paid for within ${budgetTokens} tokens, and the whole request fits beside its reserves`,
      holds:
        totals.usable_context <= budgetTokens &&
        reserves === totals.reserves &&
        totals.left >= 0 &&
        totals.request <= totals.usable_context - Number(manifest.budget['output_reserve']) - reserveTokens,
    },
  ];
}

function callFacts(calls: readonly DemoCall[]): readonly Fact[] {
  const [lookup, search, expand] = calls;
  const [current, ...history] = lookup?.content?.memories ?? [];
  const lastLoop = calls.at(-1)?.content?.loop;
  return [
    {
      says: 'lookup_entity gives 0.78 as current, and 0.92 as history',
      holds:
        current?.status === 'current' &&
        current.content.includes('0.78') &&
        history.some(({ status, content }) => status === 'historical' && content.includes('0.92')),
    },
    {
      says: 'search_memory finds the passage that says how long AgentCore keeps events',
      holds:
        search?.content?.evidence === 'found' &&
        search.content.memories.length === 1 &&
        search.content.memories[0]?.content.includes(retentionSetting) === true,
    },
    {
      says: 'expand gives a memory for an id that was shown in this run',
      holds: expand?.content?.memories.length === 1,
    },
    {
      says: `The three calls stay within ${rounds} rounds and ${reserveTokens} tokens`,
      holds:
        lastLoop !== undefined &&
        calls.length <= rounds &&
        lastLoop.rounds_left >= 0 &&
        lastLoop.tokens_left >= 0 &&
        calls.reduce((sum, { cost }) => sum + cost, 0) <= reserveTokens,
    },
  ];
}

function otherTenantFact({ request }: WindowResult, calls: readonly DemoCall[]): Fact {
  const all = JSON.stringify([request, calls]);
  return {
    says: 'Nothing of tenant globex, which has rows that look alike, shows anywhere',
    holds: !all.includes(otherTenant),
  };
}
