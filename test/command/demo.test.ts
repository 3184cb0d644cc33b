// The demo as a stranger runs it: true, readable, fast, and without a trace on disk.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, runJson, temporaryFolder } from './run_program.ts';
import type { Outcome, Parsed } from './run_program.ts';

const home = temporaryFolder();
afterAll(() => home.discard());
const given = { HOME: home.path, USERPROFILE: home.path, LOCALAPPDATA: home.path };

describe('demo', () => {
  let text: Outcome;
  let machine: Parsed;
  beforeAll(async () => {
    text = await run(['demo'], given);
    machine = (await runJson(['demo'], given)).json;
  });

  it('succeeds, says nothing on stderr, and leaves no file behind', () => {
    expect({ code: text.code, stderr: text.stderr }).toEqual({ code: 0, stderr: '' });
    expect(readdirSync(home.path)).toEqual([]);
  });

  it.each([
    'is Helios-RAG still the one to beat?',
    'durable_facts',
    'usable_context',
    '<memory id="B331ec01f36" type="entity" status="current">',
    '<annotation current_fact_id="B331ec01f36">',
    '0.78 nDCG@10',
    'lifecycle',
    'lookup_entity',
    'search_memory',
    'expand',
    'rounds',
    'Try next',
  ])('shows %s', (part) => expect(text.stdout).toContain(part));

  it('marks every fact of the story as true', () => {
    expect(text.stdout).not.toContain('FALSE');
    expect(machine.facts.filter((fact: Parsed) => !fact.holds)).toEqual([]);
    expect(machine.ok).toBe(true);
  });

  it('holds the corrected fact whole, the July summary with its correction, and the question last', () => {
    const { memories, excluded, totals } = machine.manifest;
    const found = (id: string) => memories.find((memory: Parsed) => memory.id === id);
    expect(found('B331ec01f36')).toMatchObject({ tier: 'full', status: 'current', admitted_by: 'required_correction' });
    expect(found('Bb08645346e')).toMatchObject({ status: 'historical', slice: 'recalled_history' });
    expect(found('Bb08645346e').annotation_refs).toEqual([
      {
        current: ['entity', 'ctxseed_2688f0418960d68379370cf8', 2],
        source: ['entity', 'ctxseed_ac760ed5f12c3f9fa0459951', 1],
      },
    ]);
    expect(excluded).toContainEqual(
      expect.objectContaining({ ref: ['entity', 'ctxseed_ac760ed5f12c3f9fa0459951', 1], rule: 'lifecycle' }),
    );
    expect(machine.messages.at(-1).content.endsWith(`\n\n${machine.question}`)).toBe(true);
    expect(totals.usable_context).toBe(5000);
    expect(totals.reserves + totals.fixed_total + totals.optional_used + totals.left).toBe(5000);
  });

  it('calls the tools within three rounds and a thousand tokens, and shows what is left after each', () => {
    expect(machine.calls.map((call: Parsed) => call.tool)).toEqual(['lookup_entity', 'search_memory', 'expand']);
    const left = machine.calls.map((call: Parsed) => call.content.loop);
    expect(left.map((loop: Parsed) => loop.rounds_left)).toEqual([2, 1, 0]);
    expect(left.at(-1).tokens_left).toBeGreaterThanOrEqual(0);
    expect(machine.calls.reduce((sum: number, call: Parsed) => sum + call.cost, 0)).toBe(
      1000 - left.at(-1).tokens_left,
    );
    const [current, ...history] = machine.calls[0].content.memories;
    expect(current.content).toContain('0.78');
    expect(history.map((memory: Parsed) => [memory.status, memory.content.includes('0.92')])).toContainEqual([
      'historical',
      true,
    ]);
  });

  it('gives the same window every time', async () => {
    const again = (await runJson(['demo'], given)).json;
    expect(again.manifest.request_hash).toBe(machine.manifest.request_hash);
    expect(again.messages).toEqual(machine.messages);
  });
});
