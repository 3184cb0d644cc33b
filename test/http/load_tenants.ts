// Eight tenants that look alike but for one word each, and the mixed calls of a client, whose every answer may hold its
// own tenant's word alone.

import { expect } from 'vitest';
import { baseTools, budget } from '../isolation/model.ts';
import { contentOf, type Elicit, type Host } from '../protocol/harness.ts';

/** The tenants, named for their word. */
export const loadTenants = ['aspen', 'birch', 'cedar', 'elder', 'hazel', 'larch', 'maple', 'rowan'] as const;
export type LoadTenant = (typeof loadTenants)[number];

const began = '2020-01-01T00:00:00.000000Z';
const wordOf = (tenant: string) => `zq${tenant}`;

/** One seed file for each tenant: a budget, tools, a rule, a fact and a passage. */
export const loadSeeds: readonly { readonly name: string; readonly json: object }[] = loadTenants.map((tenant) => {
  const word = wordOf(tenant);
  const json = {
    tenant_id: tenant,
    guidelines: [
      budget,
      { id: 'house', valid_from: began, guideline_key: 'house', guideline_value: `We are ${word}.` },
    ],
    toolbox: baseTools.map((row) => ({ ...row, usage_notes: `Reads the memory of ${word}.` })),
    entities: [
      { id: 'mail', valid_from: began, subject: 'service:mail', predicate: 'owner', content: `Mail is ${word}'s.` },
    ],
    documents: [
      {
        id: 'handbook',
        valid_from: began,
        collection: 'handbook',
        title: 'Handbook',
        source_uri: 'https://docs.example/handbook',
        source_type: 'note',
        chunks: [{ id: 'handbook_1', content: `The mail server of ${word} is restarted at night.` }],
      },
    ],
  };
  return { name: `${tenant}.json`, json };
});

/** The words of tenants in an answer. */
export function wordsIn(answer: unknown): readonly string[] {
  return [...new Set(JSON.stringify(answer).match(/zq[a-z]+/g))];
}

/** Fails for an answer that holds another tenant's word, or that lacks the own where it has to be. */
function expectOwn(answer: unknown, tenant: string, isNamed = true): void {
  expect(wordsIn(answer)).toEqual(isNamed ? [wordOf(tenant)] : []);
}

const question = 'When is the mail server restarted?';

/** What a person at any of the clients answers. */
export const choosesThis: Elicit = async () => ({ action: 'accept', content: { answer: 'this' } });

type MixedCall = (host: Host, tenant: string, thread: string) => Promise<void>;

/** Calls of all kinds; each checks its own answer. A thread of its own, so that no loop is ever spent. */
export const mixedCalls: readonly MixedCall[] = [
  async (host, tenant) => {
    const { tools } = await host.request<{ tools: readonly object[] }>('tools/list');
    expect(tools.length).toBeGreaterThanOrEqual(baseTools.length);
    expectOwn(tools, tenant);
  },
  async (host, tenant, thread) => {
    expectOwn(contentOf(await host.call('search_memory', { query: question }, { thread })), tenant);
  },
  async (host, tenant) => {
    expectOwn(await host.request('resources/read', { uri: 'memory://guidelines' }), tenant);
  },
  async (host, tenant, thread) => {
    const args = { subject: 'service:mail', predicate: 'owner' };
    expectOwn(contentOf(await host.call('lookup_entity', args, { thread })), tenant);
  },
  async (host, tenant) => {
    expectOwn(await host.request('prompts/get', { name: 'context_window', arguments: { question } }), tenant);
  },
  async (host, tenant, thread) => {
    const answer = contentOf(await host.call('clarify', { question: 'Which?', options: ['this', 'that'] }, { thread }));
    expect(answer).toMatchObject({ status: 'answered', answer: 'this' });
    expectOwn(answer, tenant, false);
  },
  async (host, tenant) => {
    expectOwn(await host.request('resources/list'), tenant, false);
  },
];
