// Both searches: bounded, current at the evaluation time, within the caller's scope, statistics too.

import { expect, it } from 'vitest';
import { agentId, rowId, threadId, userId } from '../../src/model/ids.ts';
import type { RowId } from '../../src/model/ids.ts';
import type { Scope } from '../../src/model/scope.ts';
import { instant } from '../../src/model/time.ts';
import type { SearchFilter } from '../../src/store/search_values.ts';
import type { IndexEntry, NewRow } from '../../src/store/written_rows.ts';
import type { OpenedStore } from './harness.ts';
import {
  document,
  entity,
  entry,
  event,
  ids,
  importRows,
  newId,
  newTenant,
  operate,
  read,
  scope,
  summary,
  turn,
  workflow,
  write,
} from './harness.ts';

const filter = (given: Partial<SearchFilter> = {}): SearchFilter => ({
  kinds: ['entity', 'workflow', 'summary', 'conversation', 'chunk'],
  collections: null,
  exclude: [],
  limit: 50,
  ...given,
});

const fact = (id: string, content: string, more: Parameters<typeof entity>[0] = {}) =>
  entity({ id: rowId(id), subject: id, content, ...more });

const indexed = (rows: readonly ReturnType<typeof entity>[], vector?: readonly number[]): readonly IndexEntry[] =>
  rows.map((row) => entry(['entity', row.id, row.version], row.content, vector === undefined ? {} : { vector }));

export function contractOfSearch(given: () => OpenedStore): void {
  const lexical = (as: Scope, terms: readonly string[], more: Partial<SearchFilter> = {}, at?: string) =>
    read(given().store, as, (reader) => reader.searchLexical(terms, filter(more)), at);
  const nearest = (as: Scope, vector: readonly number[], more: Partial<SearchFilter> = {}, at?: string) =>
    read(given().store, as, (reader) => reader.searchVector(Float32Array.from(vector), 'text', filter(more)), at);

  it('[Q2] gives frequencies and lengths by field, and statistics of what the caller can find', async () => {
    const tenant = newTenant();
    const rows = [fact('one', 'apple apple pear'), fact('two', 'pear plum'), fact('three', 'fig')];
    await importRows(given().store, tenant, {
      rows,
      index: [entry(['entity', rows[0]!.id, 1], rows[0]!.content, { title: 'apple pie' }), ...indexed(rows.slice(1))],
    });
    const result = await lexical(scope(tenant), ['pear', 'apple', 'kiwi', 'pear']);
    expect(result.documents).toBe(3);
    expect(result.documentFrequencies).toEqual([2, 1, 0, 2]);
    expect(result.averageLengths.map((length) => Number(length.toFixed(6)))).toEqual([0.666667, 0, 2, 0]);
    expect(ids(result.hits)).toEqual(['one', 'two']);
    expect(result.hits[0]).toMatchObject({
      frequencies: [
        [0, 0, 1, 0],
        [1, 0, 2, 0],
        [0, 0, 0, 0],
        [0, 0, 1, 0],
      ],
      lengths: [2, 0, 3, 0],
      group: null,
    });
  });

  it('[Q2] no text is query syntax: operators, quotes, backslashes and other scripts are terms', async () => {
    const tenant = newTenant();
    const hostile = [
      "a'b",
      'a\\b',
      "'",
      '\\',
      '&',
      '|',
      '!',
      ':*',
      'a & b',
      '<->',
      'ORA-27102',
      '検索',
      'ру',
      '🙂',
      "\\'",
      '$1',
    ];
    const row = fact('hostile', 'text');
    const terms = new Map(hostile.map((term) => [term, [0, 0, 1, 0] as const]));
    await importRows(given().store, tenant, {
      rows: [row, fact('other', 'text text')],
      index: [{ ...entry(['entity', row.id, 1], row.content), terms }],
    });
    for (const term of hostile) {
      expect({ term, found: ids((await lexical(scope(tenant), [term])).hits) }).toEqual({ term, found: ['hostile'] });
    }
    const odd = await lexical(scope(tenant), ['', '\u0000', '\u0001', '\ud800', 'x'.repeat(5000), '|']);
    expect(ids(odd.hits)).toEqual(['hostile']);
    expect(odd.documentFrequencies).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it('[Q2] a term can never stand for a tenant', async () => {
    const tenant = newTenant();
    const victim = newTenant();
    const row = fact('mine', 'text');
    const terms = new Map([
      [`\u0001${victim}`, [0, 0, 1, 0] as const],
      ['text', [0, 0, 1, 0] as const],
    ]);
    await importRows(given().store, tenant, {
      rows: [row],
      index: [{ ...entry(['entity', row.id, 1], row.content), terms }],
    });
    expect((await lexical(scope(victim), ['text'])).documentFrequencies).toEqual([0]);
    expect((await lexical(scope(tenant), ['text'])).documentFrequencies).toEqual([1]);
  });

  it('[Q2,Q3] rare terms choose the candidates, and a limit bounds them', async () => {
    const tenant = newTenant();
    const rows = Array.from({ length: 40 }, (_, index) =>
      fact(`row_${String(index).padStart(2, '0')}`, index === 7 ? 'common rare' : 'common'),
    );
    await importRows(given().store, tenant, { rows, index: indexed(rows, [1, 0, 0, 0]) });
    const result = await lexical(scope(tenant), ['common', 'rare'], { limit: 5 });
    expect(ids(result.hits)).toEqual(['row_07', 'row_00', 'row_01', 'row_02', 'row_03']);
    expect(await nearest(scope(tenant), [1, 0, 0, 0], { limit: 3 })).toHaveLength(3);
    expect((await lexical(scope(tenant), ['common'], { limit: 0 })).hits).toEqual([]);
  });

  it('[Q3] gives the nearest by cosine first, ties by id; a text without a vector is not near anything', async () => {
    const tenant = newTenant();
    const vectors: Record<string, readonly number[]> = {
      same: [2, 0, 0, 0],
      also: [1, 0, 0, 0],
      half: [1, 1, 0, 0],
      away: [0, 0, 1, 0],
      back: [-1, 0, 0, 0],
      none: [0, 0, 0, 0],
    };
    const rows = Object.keys(vectors).map((id) => fact(id, id));
    const index = rows.map((row) => entry(['entity', row.id, 1], row.content, { vector: vectors[row.id] ?? [] }));
    await importRows(given().store, tenant, { rows, index });
    const hits = await nearest(scope(tenant), [3, 0, 0, 0]);
    expect(ids(hits)).toEqual(['also', 'same', 'half', 'away', 'back']);
    expect(hits.map(({ cosine }) => Number(cosine.toFixed(6)) + 0)).toEqual([1, 1, 0.707107, 0, -1]);
    expect(await nearest(scope(tenant), [0, 0, 0, 0])).toEqual([]);
    const context = await read(given().store, scope(tenant), (reader) =>
      reader.searchVector(Float32Array.from([1, 0, 0, 0]), 'context', filter()),
    );
    expect(context).toEqual([]);
  });

  it('[S1,N2] both searches and their statistics keep to tenant, user, agent and thread', async () => {
    const tenant = newTenant();
    const helper = { agentId: agentId('helper') };
    const rows: readonly NewRow[] = [
      fact('e_shared', 'word'),
      fact('e_jane', 'word', { userId: userId('jane') }),
      fact('e_sam', 'word', { userId: userId('sam') }),
      fact('e_agent', 'word', helper),
      fact('e_here', 'word', { threadId: threadId('main') }),
      fact('e_there', 'word', { threadId: threadId('old') }),
      summary({ id: rowId('s_old'), summary: 'word', userId: userId('jane'), threadId: threadId('old') }),
      summary({ id: rowId('s_sam'), summary: 'word', userId: userId('sam') }),
      turn({ id: rowId('c_old'), text: 'word', threadId: threadId('old') }),
      turn({ id: rowId('c_agent'), text: 'word', ...helper }),
      turn({ id: rowId('c_sam'), text: 'word', userId: userId('sam') }),
    ];
    const index = rows.map((row) => entry([row.type, row.id, 1], 'word', { vector: [1, 0, 0, 0] }));
    await importRows(given().store, tenant, { rows, index });
    const visible = ['c_old', 'e_here', 'e_jane', 'e_shared', 's_old'];
    const found = await lexical(scope(tenant), ['word']);
    expect(ids(found.hits).toSorted()).toEqual(visible);
    expect([found.documents, ...found.documentFrequencies]).toEqual([5, 5]);
    expect(new Map(found.hits.map((hit) => [hit.ref[1] as string, hit.group])).get('c_old')).toBe('old');
    expect(ids(await nearest(scope(tenant), [1, 0, 0, 0])).toSorted()).toEqual(visible);
    const entities = await lexical(scope(tenant), ['word'], { kinds: ['entity'] });
    expect([entities.documents, ids(entities.hits)]).toEqual([3, ['e_here', 'e_jane', 'e_shared']]);
    const stranger = await lexical(scope(newTenant()), ['word']);
    expect([stranger.documents, stranger.hits]).toEqual([0, []]);
    expect(await nearest(scope(newTenant()), [1, 0, 0, 0])).toEqual([]);
  });

  it('leaves out what the filter excludes, and keeps to collections', async () => {
    const tenant = newTenant();
    const papers = document({ id: rowId('paper') }, ['word one', 'word two']);
    const runbook = document({ id: rowId('runbook'), collection: 'runbooks' }, ['word three']);
    const chunks = [...papers.chunks, ...runbook.chunks];
    await importRows(given().store, tenant, {
      rows: [papers, runbook],
      index: chunks.map((chunk) => entry(['chunk', chunk.id, 1], chunk.content, { vector: [1, 0, 0, 0] })),
    });
    const one = { collections: ['papers'], exclude: [['chunk', rowId('paper_c1'), 1]] } as const;
    const found = await lexical(scope(tenant), ['word'], one);
    expect(ids(found.hits)).toEqual(['paper_c0']);
    expect(found.hits[0]?.group).toBe('paper');
    expect(ids(await nearest(scope(tenant), [1, 0, 0, 0], one))).toEqual(['paper_c0']);
    expect((await lexical(scope(tenant), ['word'], { collections: [] })).hits).toEqual([]);
  });

  it('[Q10] measures only what is current at the evaluation time', async () => {
    const tenant = newTenant();
    const old = fact('old', 'word', { validUntil: instant('2026-05-01T00:00:00Z') });
    const now = fact('now', 'word', { validFrom: instant('2026-05-01T00:00:00Z') });
    await importRows(given().store, tenant, { rows: [old, now], index: indexed([old, now], [1, 0, 0, 0]) });
    for (const [at, expected] of [
      ['2026-04-30T23:59:59.999999Z', ['old']],
      ['2026-05-01T00:00:00.000000Z', ['now']],
      ['2025-01-01T00:00:00Z', []],
    ] as const) {
      const found = await lexical(scope(tenant), ['word'], {}, at);
      expect({ at, found: ids(found.hits), documents: found.documents }).toEqual({
        at,
        found: expected,
        documents: expected.length,
      });
      expect(ids(await nearest(scope(tenant), [1, 0, 0, 0], {}, at))).toEqual(expected);
    }
  });

  it('[Q10] a retired, quarantined or replaced memory leaves both searches, and comes back when it is cleared', async () => {
    const { store } = given();
    const tenant = newTenant();
    const found = async (term = 'word') => ids((await lexical(scope(tenant), [term])).hits);
    const near = async () => ids(await nearest(scope(tenant), [1, 0, 0, 0]));
    const row = fact('v1', 'word');
    const paper = document({ id: rowId('doc_v1'), sourceUri: 'uri' }, ['word of a paper']);
    const chunk = ['chunk', paper.chunks[0]!.id, 1] as const;
    const paperIndex = [entry(chunk, 'word of a paper', { vector: [1, 0, 0, 0] })];
    await importRows(store, tenant, { rows: [row, paper], index: [...indexed([row], [1, 0, 0, 0]), ...paperIndex] });
    expect(await found()).toEqual(['doc_v1_c0', 'v1']);

    await operate(store, tenant, (writer) => writer.quarantine(['entity', row.id, 1], 'odd'));
    expect([await found(), await near()]).toEqual([['doc_v1_c0'], ['doc_v1_c0']]);
    await operate(store, tenant, (writer) => writer.quarantine(['entity', row.id, 1], null));
    await operate(store, tenant, (writer) => writer.quarantine(['document', paper.id, 1], 'odd'));
    expect([await found(), await near()]).toEqual([['v1'], ['v1']]);
    // A chunk of its own stays out when its document is cleared.
    await operate(store, tenant, async (writer) => {
      await writer.quarantine(chunk, 'odd');
      await writer.quarantine(['document', paper.id, 1], null);
    });
    expect(await found()).toEqual(['v1']);
    await operate(store, tenant, (writer) => writer.quarantine(chunk, null));

    const next = { ...row, id: newId('v2'), content: 'other', validFrom: null };
    const revised = document({ id: rowId('doc_v2'), sourceUri: 'uri', validFrom: null }, ['other paper']);
    await operate(store, tenant, async (writer) => {
      await writer.putVersion(next, 1, [entry(['entity', next.id, 2], 'other', { vector: [1, 0, 0, 0] })]);
      await writer.putVersion(revised, 1, [
        entry(['chunk', rowId('doc_v2_c0'), 1], 'other paper', { vector: [1, 0, 0, 0] }),
      ]);
    });
    expect(await found()).toEqual([]);
    expect(await found('other')).toEqual(['doc_v2_c0', next.id]);
    expect(await near()).toEqual(['doc_v2_c0', next.id]);
    // At an earlier time the old versions are what was true.
    expect(ids((await lexical(scope(tenant), ['word'], {}, '2026-06-01T00:00:00Z')).hits)).toEqual(['doc_v1_c0', 'v1']);
  });

  it('[D2] index rows are replaced only while the memory says what they were made of', async () => {
    const { store } = given();
    const tenant = newTenant();
    const jane = { userId: userId('jane') };
    const row = fact('mine', 'first words', jane);
    await importRows(store, tenant, { rows: [row], index: indexed([row]) });
    const put = (entries: readonly IndexEntry[]) => write(store, scope(tenant), (writer) => writer.putIndex(entries));
    await put([entry(['entity', row.id, 1], 'stale words')]);
    expect((await lexical(scope(tenant), ['stale'])).hits).toEqual([]);
    await put([
      {
        ...entry(['entity', row.id, 1], 'better words'),
        contentHash: entry(['entity', row.id, 1], row.content).contentHash,
      },
    ]);
    expect(ids((await lexical(scope(tenant), ['better'])).hits)).toEqual(['mine']);
    expect((await lexical(scope(tenant), ['first'])).hits).toEqual([]);
    const shared = fact('shared', 'shared words');
    await importRows(store, tenant, { rows: [shared] });
    await expect(put(indexed([shared]))).rejects.toMatchObject({ code: 'scope_violation' });
  });

  it('[D5] an appended turn can be indexed and found in the same write', async () => {
    const { store } = given();
    const tenant = newTenant();
    const said = event({ payload: { text: 'orchid bloom' } });
    await write(store, scope(tenant), async (writer) => {
      await writer.appendEvent(said);
      await writer.putIndex([entry(['conversation', said.eventId, 1], 'orchid bloom', { vector: [1, 0, 0, 0] })]);
    });
    expect(ids((await lexical(scope(tenant, 'jane', { thread: 'next' }), ['orchid'])).hits)).toEqual([said.eventId]);
    expect((await lexical(scope(tenant, 'sam'), ['orchid'])).documents).toBe(0);
  });

  it('stays bounded for a text of very many terms and a question of very many terms', async () => {
    const tenant = newTenant();
    const row = workflow({ name: 'big', description: 'd', steps: [], expectedOutcome: null });
    const many = Array.from({ length: 60_000 }, (_, index) => `term_${index}_${'x'.repeat(20)}`);
    await importRows(given().store, tenant, {
      rows: [row],
      index: [
        {
          ...entry(['workflow', row.id, 1], 'big: d'),
          terms: new Map(many.map((term) => [term, [0, 0, 100_000, 0] as const])),
        },
      ],
    });
    const result = await lexical(scope(tenant), many.slice(0, 5000));
    expect(ids(result.hits)).toEqual([row.id satisfies RowId]);
    expect(result.documentFrequencies).toHaveLength(5000);
    expect(result.hits[0]?.frequencies[0]).toEqual([0, 0, 32_767, 0]);
  });
}
