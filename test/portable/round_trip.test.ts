// A tenant that was exported and imported gives the same windows, on the embedded engine and across to a server (D3).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowId, runId } from '../../src/model/ids.ts';
import type { Scope } from '../../src/model/scope.ts';
import { instant } from '../../src/model/time.ts';
import type { Instant } from '../../src/model/time.ts';
import { callAs, jane, openFixture, operatorCall, readStory, scopeOf } from '../fixture.ts';
import type { Fixture, Story } from '../fixture.ts';
import { openStoreOnServer } from '../store/server_session.ts';
import { describeOnServer } from '../store/server_tests.ts';
import { exported, imported, linesOf, rowsIn, rowsOf } from './files.ts';

const nobody = async () => ({ outcome: 'unsupported' as const });
/** What JSON and lines find hard: every kind of break, mark, pair and length. */
const hardText = `Line\u2028para\u2029nel\u0085 tab\t cr\r lf\n "q" \\u0041 \u{1F600}\u200D\u{1F469} e\u0301 \u202Eback\u007F ${'長'.repeat(40)}`;

/** Longer than its slice, so that a window shows a compression of it. */
const longText = Array.from(
  { length: 120 },
  (_, at) => `Probe ${at} of the walrus survey met ${at * 3} walruses.`,
).join(' ');

let story: Story;
let source: Fixture;
let bytes: Buffer;
let manifestId: string;
let windows: readonly unknown[];

const say = (fixture: Fixture, role: 'user' | 'assistant', text: string, run: string | null = null) =>
  fixture.manager.recordTurn(callAs(jane), { role, text, runId: run === null ? null : runId(run) });

const ask = (fixture: Fixture, question: string, scope: Scope = jane, at: Instant | null = null) =>
  fixture.manager.assembleWindow(callAs(scope), { question, intent: null, at, model: null });

/** A memory with everything in it that a day of use brings. */
async function live(fixture: Fixture): Promise<void> {
  const first = await ask(fixture, story.question);
  manifestId = first.manifest.manifest_id;
  await fixture.manager.callTool(callAs(jane), 'search_memory', { query: 'retention of agent events' }, nobody);
  for (let turn = 0; turn < 6; turn += 1)
    await say(fixture, 'user', `Turn ${turn} speaks of Helios recall ${turn * 7}.`);
  await say(fixture, 'assistant', `It is 0.78 [${first.seated[0]?.id ?? ''}].`, first.runId);
  await say(fixture, 'user', hardText);
  await fixture.operator.apply(operatorCall('acme'), 'more', {
    entities: [
      { subject: 'model:helios-rag', predicate: 'beir_ndcg10', content: 'Helios-RAG reaches 0.79 on BEIR.' },
      { subject: 'hard "text"\u2028', predicate: 'is', content: hardText, value: [1e-300, 1.5, null, '', {}] },
    ],
    guidelines: [{ guideline_key: 'a_null', guideline_value: null }],
    persona: [{ persona_key: 'a_null', persona_value: null }],
    documents: [
      { collection: 'research', title: 'Undated', source_uri: 'x:undated', text: 'Recall of today.\n\nMore.' },
      { collection: 'research', title: 'Long', source_uri: 'x:long', text: longText },
    ],
  });
  const [workflow] = rowsOf(linesOf((await exported(fixture, 'acme')).bytes), 'workflow_memory');
  const { id, version } = Object(workflow?.row) as { readonly id: string; readonly version: number };
  await fixture.store.operate(operatorCall('acme').scope, { requestId: 'test' }, (writer) =>
    writer.quarantine(['workflow', rowId(id), version], 'a test'),
  );
  await ask(fixture, 'What did turn 3 say of recall?', scopeOf({ user: 'sam', thread: 'sam-1' }));
}

beforeAll(async () => {
  story = await readStory();
  source = await openFixture();
  await live(source);
  windows = await windowsOf(source);
  ({ bytes } = await exported(source, 'acme'));
});
afterAll(() => source.close());

/** The questions of the story and some that only what was written today answers, by several principals. */
async function windowsOf(fixture: Fixture): Promise<readonly unknown[]> {
  const later = instant('2030-01-01T00:00:00Z');
  const told: readonly (readonly [string, Scope, Instant])[] = [
    [story.question, jane, story.evaluationTime],
    [story.comparisonQuestion, jane, story.evaluationTime],
    [story.retentionQuestion, jane, story.evaluationTime],
    [story.japaneseQuestion, jane, story.evaluationTime],
    [story.question, jane, later],
    ['What did turn 3 say of Helios recall?', jane, later],
    ['What did turn 3 say of Helios recall?', scopeOf({ thread: 'another' }), later],
    [`Recall of ${new Date().toISOString().slice(0, 10)}`, scopeOf({ user: 'sam', thread: 'sam-1' }), later],
    ['How many walruses did the walrus survey meet?', jane, later],
    ['nel tab back 長長長', scopeOf({ thread: 'another' }), later],
  ];
  const given: unknown[] = [];
  for (const [question, scope, at] of told) {
    const { request, manifest } = await ask(fixture, question, scope, at);
    const { memories, excluded, prefix, dependencies, totals } = manifest;
    given.push({ request, decided: withoutScores({ memories, excluded, prefix, dependencies, totals }) });
  }
  return given;
}

/** Distances are summed up in another order by another build of pgvector: scores are left out, all else is compared. */
function withoutScores(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'number' && !Number.isInteger(inner) ? 'measured' : inner,
    ),
  );
}

/** What every target owes. */
function describeTarget(open: () => Promise<Fixture>): void {
  let target: Fixture;
  beforeAll(async () => {
    target = await open();
    await imported(target, 'acme', bytes);
  });
  afterAll(() => target.close());

  it('[D3] gives the same windows, byte for byte', async () => {
    expect(await windowsOf(target)).toEqual(windows);
  });

  it('[D3] is exported again as the same rows, in the same order', async () => {
    const fresh = await exported(target, 'acme');
    const { rows } = linesOf(fresh.bytes);
    const { rows: before } = linesOf(bytes);
    // Both answered questions since, and those are the newest events.
    const known = new Set(before);
    expect(rows.filter((row) => known.has(row))).toEqual(before);
  });

  it('[N5,M1] keeps manifests under their ids, with the place in the history of the first database', async () => {
    const id = rowId(manifestId);
    const [was, is] = [
      await source.manager.manifest(callAs(jane), id),
      await target.manager.manifest(callAs(jane), id),
    ];
    expect(is).toEqual(was);
    const { manifest } = await ask(target, story.question);
    expect(manifest.incarnation).not.toBe(is.manifest.incarnation);
  });

  it('[D5] turns go on where they were', async () => {
    const threads = rowsOf(linesOf(bytes), 'thread').map(({ row }) => row);
    const own = threads.find((row) => row['user_id'] === 'jane' && row['thread_id'] === jane.threadId);
    expect((await say(target, 'user', 'And what now?')).turnIndex).toBe(own?.['next_turn_index']);
  });

  it('[D7] importing again changes nothing, also after the tenant went on; other rows are refused', async () => {
    const again = await imported(target, 'other', bytes, { asTenant: true });
    expect(again.inserted).toBeGreaterThan(400);
    await target.manager.listTools(callAs(scopeOf({ tenant: 'other' })));
    expect(await imported(target, 'other', bytes, { asTenant: true })).toMatchObject({ inserted: 0 });
    await ask(target, story.question, scopeOf({ tenant: 'other' }));
    expect(await imported(target, 'other', bytes, { asTenant: true })).toMatchObject({
      inserted: 0,
      unchanged: again.inserted,
    });
    const before = await rowsIn(target, 'other');
    const globex = (await exported(source, 'globex')).bytes;
    await expect(imported(target, 'other', globex, { asTenant: true })).rejects.toMatchObject({
      code: 'backup_refused',
    });
    expect(await rowsIn(target, 'other')).toBe(before);
  });
}

describe('a tenant imported into another embedded store', () => describeTarget(() => openFixture({ isSeeded: true })));
describeOnServer('a tenant imported into a PostgreSQL server', () =>
  describeTarget(() => openFixture({ isSeeded: true, openStore: openStoreOnServer })),
);

describe('an export', () => {
  it('[N2] of one tenant holds no byte of another, and of its own all users', async () => {
    const text = bytes.toString('utf8');
    const { rows } = linesOf((await exported(source, 'globex')).bytes);
    for (const line of rows) {
      const { content, id } = JSON.parse(line).row;
      if (typeof content === 'string') expect(text).not.toContain(JSON.stringify(content).slice(1, -1));
      // Ids of two tenants may be equal, texts of the demo are not.
      expect(typeof id === 'string' || id === undefined).toBe(true);
    }
    for (const user of ['jane', 'sam']) expect(text).toContain(`"user_id":"${user}"`);
    expect(text).not.toContain('globex');
  });

  it('of a tenant without rows is refused', async () => {
    await expect(exported(source, 'acmee')).rejects.toMatchObject({ code: 'backup_refused' });
  });

  it('says what it holds, and ends with the hash of all before', async () => {
    const { told } = await exported(source, 'acme');
    const { header, rows } = linesOf(bytes);
    expect(header).toMatchObject({ form: 1, tenant_id: 'acme', embedder: { id: 'potion-base-8m-i8' } });
    expect(Object.keys(header['counts'] as object)).toEqual(Object.keys(told.counts));
    expect(new Set(rows.map((row) => Object.keys(JSON.parse(row)).join())).size).toBe(1);
    expect(told.leftOut).toBe(0);
    expect(told.counts.context_compression).toBeGreaterThan(0);
  });
});
