// Records the inputs of the golden windows from a seeded store: what the pure assembly gets, without cached counts.
// Run: npx tsx scripts/record_golden_inputs.ts; then npx vitest run test/golden.test.ts shows what changed.

import { mkdir, writeFile } from 'node:fs/promises';
import type { AssemblyInput } from '../src/assembly/assembly_input.ts';
import { windowInput } from '../src/manager/assemble_window.ts';
import { callAs, jane, openFixture, projectJson, readStory, scopeOf, type Fixture } from '../test/fixture.ts';
import { fixedRecord } from '../test/golden_cases.ts';

const directory = new URL('../test/golden/inputs/', import.meta.url);

async function record(fixture: Fixture, name: string, scope: typeof jane, question: string): Promise<void> {
  const { evaluationTime } = await readStory();
  const asked = { question, intent: null, at: evaluationTime, model: null };
  const { input } = await windowInput(fixture.parts, callAs(scope), asked);
  const { countTokens: _, ...values } = input satisfies AssemblyInput;
  const candidates = input.candidates.map((candidate) => ({ ...candidate, cachedTokens: {} }));
  const stable = { ...values, candidates, record: { ...input.record, ...fixedRecord } };
  await writeFile(new URL(`${name}.json`, directory), `${JSON.stringify(stable, null, 1)}\n`);
  process.stdout.write(`${name}: ${candidates.length} candidates\n`);
}

/** The default profile as a tenant's only rows, valid since before the story. */
async function emptyTenant(): Promise<unknown> {
  const profile = (await projectJson('seeds/default_profile.json')) as Readonly<Record<string, readonly object[]>>;
  const lists = Object.entries(profile).map(([name, rows]) => [
    name,
    rows.map((row) => ({ ...row, valid_from: '2026-01-01T00:00:00.000000Z' })),
  ]);
  return { tenant_id: 'empty', ...Object.fromEntries(lists) };
}

await mkdir(directory, { recursive: true });
const story = await readStory();
const fixture = await openFixture();
try {
  await record(fixture, 'helios', jane, story.question);
  await record(fixture, 'comparison', jane, story.comparisonQuestion);
  await record(fixture, 'retention', jane, story.retentionQuestion);
  await record(fixture, 'japanese', jane, story.japaneseQuestion);
  await fixture.operator.seed([{ name: 'the empty tenant', json: await emptyTenant() }], { requestId: 'golden' });
  await record(
    fixture,
    'empty',
    scopeOf({ tenant: 'empty', user: 'nora', thread: 'first' }),
    'What do you know of me?',
  );
} finally {
  await fixture.close();
}
