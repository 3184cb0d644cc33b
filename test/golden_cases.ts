// The golden cases: recorded inputs of the pure assembly, each with the policy that the case is about.

import { readFileSync } from 'node:fs';
import type { AssemblyInput } from '../src/assembly/assembly_input.ts';
import { rowId, runId } from '../src/model/ids.ts';
import type { Budget } from '../src/model/budget.ts';
import type { CountTokens } from '../src/model/window.ts';

/** What is recorded in a manifest and would differ from run to run. */
export const fixedRecord = {
  manifestId: rowId('manifest_golden'),
  runId: runId('run_golden'),
  client: { name: 'golden', version: '1' },
  mode: 'embedded',
  incarnation: 'golden',
  scn: '1:1:',
};

/** One golden case. `budget` replaces fields of the recorded policy. */
export interface GoldenCase {
  readonly name: string;
  readonly input: string;
  readonly title: string;
  readonly budget: Partial<Budget>;
}

const onlyEvidence = { durable_facts: 0, evidence: 0.5, recalled_history: 0.25, volatile_tail: 0.25 };

/** Every golden window of this project. */
export const goldenCases: readonly GoldenCase[] = [
  {
    name: 'helios_fact_check',
    input: 'helios',
    title: '[A2,A3,B5,S1,S3,M1] the corrected fact stands at full size, version 1 is left out, the question is last',
    budget: {},
  },
  {
    name: 'comparison',
    input: 'comparison',
    title: '[B3,S6] a comparison gives evidence most of the remainder and shows both sides',
    budget: {},
  },
  {
    name: 'small_evidence',
    input: 'retention',
    title: '[F1,A5] a paragraph that does not fit falls to a pointer',
    budget: {
      compress: false,
      shares: {
        comparison: { durable_facts: 0.4, evidence: 0.06, recalled_history: 0.24, volatile_tail: 0.3 },
        fact_check: { durable_facts: 0.4, evidence: 0.06, recalled_history: 0.24, volatile_tail: 0.3 },
      },
      overflowOrder: ['evidence', 'durable_facts', 'volatile_tail', 'recalled_history'],
    },
  },
  {
    name: 'without_required_corrections',
    input: 'helios',
    title: '[B4,B5] with required_corrections false and no share, version 2 is left out by slice_budget',
    budget: { requiredCorrections: false, shares: { fact_check: onlyEvidence, comparison: onlyEvidence } },
  },
  {
    name: 'required_correction_unfit',
    input: 'helios',
    title: '[B5] the same policy with the default is refused: required_correction_unfit',
    budget: { shares: { fact_check: onlyEvidence, comparison: onlyEvidence } },
  },
  {
    name: 'japanese',
    input: 'japanese',
    title: '[Q2,A3] a question in Japanese finds what was said in Japanese and the fact by its name',
    budget: {},
  },
  {
    name: 'fixed_slice_overflow',
    input: 'helios',
    title: '[B2] a fixed slice that does not fit is named with tokens needed and left',
    budget: { usableContext: 2_500 },
  },
  {
    name: 'empty_memory',
    input: 'empty',
    title: '[B7] without memories the two tags remain',
    budget: {},
  },
];

/** The input of a case, as the assembly gets it. */
export function goldenInput(golden: GoldenCase, countTokens: CountTokens): AssemblyInput {
  const file = new URL(`golden/inputs/${golden.input}.json`, import.meta.url);
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Omit<AssemblyInput, 'countTokens'>;
  const policy = { ...recorded.policy, budget: { ...recorded.policy.budget, ...golden.budget } };
  return { ...recorded, policy, countTokens };
}
