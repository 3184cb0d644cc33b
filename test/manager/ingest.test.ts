// Ingestion through the manager: versions, what fails alone, what is gone, and who may see it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperatorManager } from '../../src/manager/operator.ts';
import type { Ingestion, IngestReport, IngestRoot, IngestSource } from '../../src/manager/ingested.ts';
import { rowId } from '../../src/model/ids.ts';
import { callAs, openFixture, operatorCall, projectJson, scopeOf } from '../fixture.ts';
import type { Fixture } from '../fixture.ts';
import { exported, imported } from '../portable/files.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ seeds: [] });
  const profile = await projectJson('seeds/default_profile.json');
  for (const tenant of ['north', 'south']) await fixture.operator.init(operatorCall(tenant), profile);
}, 60_000);
afterAll(() => fixture.close());

const chunks = { maxTokens: 300, overlapTokens: 40 };
// Parted, so that no scanner takes this file for the leak.
const credential = ['ghp', 'x8Kq2Lw9Zr4Tn6Vb1Ym3Pc7Df5Gh0Js2QaWe'].join('_');

function source(path: string, text: string | Uint8Array, more: Partial<IngestSource> = {}): IngestSource {
  const bytes = Buffer.from(text);
  const open = async function* () {
    for (let from = 0; from < bytes.length; from += 1009) yield bytes.subarray(from, from + 1009);
  };
  const name = `kb/${path}`;
  const known = { name, collection: 'kb', sourceUri: name, bytes: bytes.length, open };
  return { ...known, type: path.endsWith('.jsonl') ? 'jsonl' : 'markdown', ...more };
}

async function ingested(
  sources: readonly IngestSource[],
  more: Partial<Ingestion> & { readonly tenant?: string } = {},
): Promise<IngestReport> {
  const { tenant = 'north', ...given } = more;
  const usual: Ingestion = { sources, roots: [], title: null, agentId: null, chunks, dryRun: false };
  return fixture.operator.ingest(operatorCall(tenant), { ...usual, ...given });
}

const outcomes = ({ documents }: IngestReport) =>
  documents.map(({ name, outcome, version }) => [name, outcome, version]);

/** What a search finds of the passages that hold the query's made-up word. */
async function found(query: string, tenant = 'north', agent: string | null = null): Promise<readonly string[]> {
  const call = callAs(scopeOf({ tenant, user: 'ann', agent, thread: 'talk', roles: [] }));
  const outcome = await fixture.manager.callTool(call, 'search_memory', { query }, async () => ({
    outcome: 'declined',
  }));
  const mark = /zq\w+/.exec(query)?.[0] ?? query;
  const contents = outcome.kind === 'memory' ? outcome.content.memories.map(({ content }) => content) : [];
  return contents.filter((content) => content.includes(mark));
}

async function counts(tenant: string): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries(await fixture.operator.countRows(operatorCall(tenant)));
}

describe('ingest', () => {
  it('[D2,Q8] a changed document is the next version, an unchanged one is left, and the old text is not found', async () => {
    const first = source('pump.md', '# Pump\n\nThe valve zqopens at 4 bar.\n');
    expect(outcomes(await ingested([first]))).toEqual([['kb/pump.md', 'added', 1]]);
    expect(outcomes(await ingested([first]))).toEqual([['kb/pump.md', 'unchanged', 1]]);
    expect(await found('Which pressure zqopens the valve of the pump?')).toEqual([
      'Pump\n\nThe valve zqopens at 4 bar.',
    ]);
    const second = source('pump.md', '# Pump\n\nThe valve zqopens at 6 bar.\n');
    expect(outcomes(await ingested([second], { dryRun: true }))).toEqual([['kb/pump.md', 'new_version', 1]]);
    expect(await found('Which pressure zqopens the valve of the pump?')).toEqual([
      'Pump\n\nThe valve zqopens at 4 bar.',
    ]);
    expect(outcomes(await ingested([second]))).toEqual([['kb/pump.md', 'new_version', 2]]);
    expect(await found('Which pressure zqopens the valve of the pump?')).toEqual([
      'Pump\n\nThe valve zqopens at 6 bar.',
    ]);
    const otherwise = { chunks: { maxTokens: 64, overlapTokens: 0 } };
    expect(outcomes(await ingested([second], otherwise))).toEqual([['kb/pump.md', 'new_version', 3]]);
  });

  it('[Q8] tells how far it is, lets others search meanwhile, and ends between two documents when it is told to', async () => {
    const said: string[] = [];
    const stop = new AbortController();
    const clock = { ms: 0 };
    const operator = createOperatorManager({ ...fixture.parts, clockMs: () => (clock.ms += 600) });
    const files = ['one', 'two', 'three'].map((name) => source(`progress/${name}.md`, `The zqprogress of ${name}.`));
    const call = {
      ...operatorCall('north'),
      signal: stop.signal,
      onProgress: (_: number, what: string) => void said.push(what),
    };
    const usual = { sources: files, roots: [], title: null, agentId: null, chunks, dryRun: false };
    const during: (readonly string[])[] = [];
    const [first, second] = files as [IngestSource, IngestSource];
    const asking = async function* () {
      during.push(await found('zqprogress'));
      yield* second.open();
    };
    await operator.ingest(call, { ...usual, sources: [first, { ...second, open: asking }] });
    expect(during).toEqual([['The zqprogress of one.']]);
    expect(said.at(-1)).toMatch(/^ingesting: 2 of 2 files, 2 passages, \d+ a second, 0 s left$/);
    const long = source('progress/long.md', Array.from({ length: 450 }, (_, place) => `# ${place}\n\nx`).join('\n\n'));
    said.length = 0;
    await operator.ingest(call, { ...usual, sources: [long] });
    const shares = said.map((line) => /: (\d of 1 files, \d+) passages, \d+ a second, \d+ s left$/.exec(line)?.[1]);
    expect(shares.slice(0, 2)).toEqual(['0 of 1 files, 200', '0 of 1 files, 400']);
    expect(shares.at(-1)).toBe('1 of 1 files, 450');
    const [, , third = source('x.md', '')] = files;
    const open = () => {
      stop.abort();
      return third.open();
    };
    await expect(operator.ingest(call, { ...usual, sources: [{ ...third, open }] })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect((await found('zqprogress')).toSorted()).toEqual(['The zqprogress of one.', 'The zqprogress of two.']);
  });

  it('[D7,D8,Q8] what is broken fails alone, with its reason and without its content', async () => {
    const list = ['{"source_uri":"list/1","text":"One."}', '', '{"source_uri":"list/2","text":7}'].join('\n');
    const report = await ingested([
      source('secret.md', `# Access\n\nUse ${credential} there.\n`),
      source('list.jsonl', list),
      source('latin.md', Buffer.from('Gr\u00FC\u00DFe', 'latin1')),
      source('empty.md', '\n'),
      source('gone.md', '', { open: () => failing('ENOENT') }),
      source('good.md', 'Fine.'),
      source('again.md', 'Other.', { sourceUri: 'kb/good.md' }),
      source('long.md', 'Text.', { sourceUri: 'x'.repeat(2001) }),
      source('many.md', Array.from({ length: 10_001 }, (_, place) => `# ${place}\n\nx`).join('\n\n')),
      source('huge.md', 'Text.', { bytes: 51 * 1024 * 1024 }),
    ]);
    const told = report.documents.map(({ name, line, outcome, reason, code }) => [name, line, outcome, reason, code]);
    expect(told).toEqual([
      [
        'kb/secret.md',
        null,
        'failed',
        expect.stringMatching(/^A paragraph of kb\/secret\.md .*credential \(.*github/),
        'secret_refused',
      ],
      ['kb/list.jsonl', 3, 'failed', expect.stringMatching(/^field text: /), null],
      ['kb/latin.md', null, 'failed', expect.stringContaining('neither UTF-8'), null],
      ['kb/empty.md', null, 'skipped', 'it holds no text', null],
      ['kb/gone.md', null, 'failed', 'it is not there any more', null],
      ['kb/good.md', null, 'added', null, null],
      ['kb/again.md', null, 'failed', expect.stringContaining('came before it'), null],
      ['kb/long.md', null, 'failed', expect.stringContaining('longer than 2000 bytes'), 'invalid_argument'],
      ['kb/many.md', null, 'failed', expect.stringContaining('10001 passages and can have 10000'), 'invalid_argument'],
      ['kb/huge.md', null, 'skipped', 'it is larger than 50 MB', null],
    ]);
    expect(JSON.stringify(report)).not.toContain(credential);
    expect(await found('One.')).not.toContain('One.');
  });

  it('[Q8] a JSONL file holds a document a line, each with its own address, times and metadata', async () => {
    const list = [
      { source_uri: 'faq/1', title: 'Lamps', text: 'The zqlamp needs 12 volts.', metadata: { owner: 'ops' } },
      { source_uri: 'faq/2', type: 'markdown', text: '# Fuses\n\nThe zqfuse holds 3 amperes.', collection: 'faq' },
    ];
    const file = source('faq.jsonl', `${list.map((line) => JSON.stringify(line)).join('\r\n')}\n`);
    const { documents } = await ingested([file]);
    expect(documents.map(({ collection, sourceUri, line, outcome }) => [collection, sourceUri, line, outcome])).toEqual(
      [
        ['kb', 'faq/1', 1, 'added'],
        ['faq', 'faq/2', 2, 'added'],
      ],
    );
    expect(await found('How many volts does the zqlamp need?')).toContain('The zqlamp needs 12 volts.');
    const changed = [list[0], { ...list[1], text: '# Fuses\n\nThe zqfuse holds 5 amperes.' }];
    const again = await ingested([source('faq.jsonl', changed.map((line) => JSON.stringify(line)).join('\n'))]);
    expect(again.documents.map(({ outcome }) => outcome)).toEqual(['unchanged', 'new_version']);
  });

  it('[Q8] what is gone from a folder is retired on demand, and nothing else', async () => {
    const root = (present: readonly string[], more: Partial<IngestRoot> = {}): IngestRoot => ({
      collection: 'kb',
      prefix: 'kb/tree/',
      present: new Set(present),
      unknown: [],
      ...more,
    });
    const files = ['a', 'b', 'c'].map((name) => source(`tree/${name}.md`, `The zqtree ${name} has leaves.`));
    await ingested([...files, source('treeless.md', 'The zqtree is no more.')]);
    const kept = files.slice(0, 1);
    const here = root(['kb/tree/a.md', 'kb/tree/b.md']);
    const gone = [['kb/tree/c.md', 'retired', null]];
    const dry = await ingested(kept, { roots: [here], dryRun: true });
    expect(outcomes(dry).slice(1)).toEqual(gone);
    expect(await found('zqtree c leaves')).toContain('The zqtree c has leaves.');
    const blind = await ingested(kept, { roots: [root([], { unknown: ['kb/tree/'] })] });
    expect(outcomes(blind).slice(1)).toEqual([]);
    expect(outcomes(await ingested(kept, { roots: [here] })).slice(1)).toEqual(gone);
    const left = await found('zqtree leaves');
    expect(left.toSorted()).toEqual(['The zqtree a has leaves.', 'The zqtree b has leaves.', 'The zqtree is no more.']);
    // A file that comes back is the next version of what it was.
    expect(outcomes(await ingested(files.slice(2)))).toEqual([['kb/tree/c.md', 'added', 2]]);
    const broken = await ingested([source('x.jsonl', 'no json')], { roots: [root([])] });
    expect(broken.documents.filter(({ outcome }) => outcome === 'retired')).toEqual([]);
    expect(broken.retiredNothing).toContain('kb/x.jsonl');
  });

  it('[I1,Q8] one tenant finds nothing of another, also under the same addresses; an agent finds its own', async () => {
    await ingested([source('twin.md', 'The zqtwin code is north.')], { tenant: 'north' });
    await ingested([source('twin.md', 'The zqtwin code is south.')], { tenant: 'south' });
    await ingested([source('helper.md', 'The zqtwin helper knows more.')], {
      tenant: 'south',
      agentId: scopeOf({}).agentId,
    });
    expect(await found('What is the zqtwin code?', 'north')).toEqual(['The zqtwin code is north.']);
    expect(await found('What is the zqtwin code?', 'south')).toEqual(['The zqtwin code is south.']);
    expect(await found('zqtwin helper', 'south', 'research-assistant')).toContain('The zqtwin helper knows more.');
    expect(await found('zqtwin helper', 'north', 'research-assistant')).not.toContain('The zqtwin helper knows more.');
    const gone = await ingested([], {
      tenant: 'north',
      roots: [{ collection: 'kb', prefix: 'kb/', present: new Set(), unknown: [] }],
    });
    expect(gone.documents.some(({ outcome }) => outcome === 'retired')).toBe(true);
    expect(await found('What is the zqtwin code?', 'south')).toEqual(['The zqtwin code is south.']);
  });

  it('[E1,Q8] what was ingested is exported and erased as any other row', async () => {
    await imported(fixture, 'copy', (await exported(fixture, 'south')).bytes, { asTenant: true });
    expect(await found('What is the zqtwin code?', 'copy')).toEqual(['The zqtwin code is south.']);
    const before = await counts('south');
    const { documents } = await ingested([source('last.md', 'The zqlast page.')], { tenant: 'south' });
    expect(documents[0]?.outcome).toBe('added');
    const { bytes } = await exported(fixture, 'south');
    const row =
      bytes
        .toString('utf8')
        .split('\n')
        .find((line) => line.includes('kb/last.md')) ?? '';
    expect(row).toContain('"imported"');
    const id = /"id":\s*"(document_[0-9a-f]+)"/.exec(row)?.[1] ?? 'none';
    await fixture.operator.erase(operatorCall('south'), { kind: 'document', id: rowId(id) }, { dryRun: false });
    const { deletion_events: _, ...after } = await counts('south');
    expect(after).toMatchObject({
      knowledge_base_document: before['knowledge_base_document'],
      knowledge_base_chunk: before['knowledge_base_chunk'],
      memory_vector: before['memory_vector'],
    });
    expect(await found('zqlast page', 'south')).not.toContain('The zqlast page.');
  });
});

async function* failing(code: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from('part');
  throw Object.assign(new Error('no'), { code });
}
