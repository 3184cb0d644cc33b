// What a resident index answers is what the statements of a search answer: rules by example, the rest beside a plain model.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentId, rowId, tenantId, threadId, userId } from '../../../src/model/ids.ts';
import { refKey } from '../../../src/model/memory.ts';
import type { Ref, SeatableType } from '../../../src/model/memory.ts';
import { instant } from '../../../src/model/time.ts';
import { createResidentIndex } from '../../../src/store/resident/resident_index.ts';
import type { ResidentRow, ResidentSearch } from '../../../src/store/resident/resident_row.ts';
import type { SearchFilter } from '../../../src/store/search_values.ts';
import { createPlainIndex } from './plain_index.ts';
import { anyChange, anyQuery, anyRow, dimensions, packed } from './random_rows.ts';

const everyKind = ['entity', 'workflow', 'summary', 'conversation', 'chunk'] as const satisfies readonly SeatableType[];
const noFilter: SearchFilter = { kinds: everyKind, collections: null, exclude: [], limit: 50 };
const search: ResidentSearch = {
  scope: {
    tenantId: tenantId('acme'),
    userId: userId('jane'),
    agentId: agentId('scout'),
    threadId: threadId('first'),
    roles: [],
    oauthScopes: null,
  },
  at: instant('2026-06-01T00:00:00Z'),
};

const keys = (refs: readonly Ref[]): readonly string[] => refs.map(refKey).toSorted();
const idsOf = (refs: readonly Ref[]): readonly string[] => refs.map(([, id]) => id);

/** A fact about apples that everybody of the tenant can see, with a vector of all signs. */
const row = (id: string, given: Partial<ResidentRow> = {}): ResidentRow => ({
  ref: ['entity', rowId(id), 1],
  agentId: null,
  threadId: null,
  isOwn: false,
  collection: null,
  group: null,
  validFrom: instant('2026-01-01T00:00:00Z'),
  validUntil: null,
  quarantined: false,
  sampled: false,
  lengths: [0, 0, 1, 0],
  terms: [['apple', [0, 0, 1, 0]]],
  signs: { text: packed(Array.from({ length: dimensions }, () => true)), context: null },
  ...given,
});

const indexOf = (rows: readonly ResidentRow[]) => {
  const index = createResidentIndex(dimensions);
  for (const each of rows) index.put(each);
  return index;
};

const allSigns = new Float32Array(dimensions).fill(1);

describe('what a resident index finds', () => {
  const found = (rows: readonly ResidentRow[], filter: Partial<SearchFilter> = {}) => {
    const index = indexOf(rows);
    const hits = index.searchLexical(['apple'], { ...noFilter, ...filter }, search).hits.map(({ ref }) => ref);
    const near = index.near(allSigns, 'text', { ...noFilter, ...filter }, search).map((slot) => index.refAt(slot));
    expect(keys(near), 'both searches find the same').toEqual(keys(hits));
    return idsOf(hits);
  };
  const ofKind = (kind: SeatableType, given: Partial<ResidentRow> = {}) =>
    row(kind, { ref: [kind, rowId(kind), 1], ...given });

  it('[Q2,Q3] is of the kinds that are asked for, and in order of kind, id and version', () => {
    const second: Ref = ['entity', rowId('a'), 2];
    const rows = [ofKind('workflow'), row('b'), row('a', { ref: second }), row('a'), row('B')];
    expect(found(rows)).toEqual(['B', 'a', 'a', 'b', 'workflow']);
    expect(indexOf(rows).searchLexical(['apple'], noFilter, search).hits[2]?.ref).toEqual(second);
    expect(found(rows, { kinds: ['workflow'] })).toEqual(['workflow']);
    expect(found(rows, { kinds: [] })).toEqual([]);
  });

  it('[Q2,Q3] is of everybody or of the agent and the thread that ask', () => {
    const rows = [
      row('everybody'),
      row('mine', { agentId: 'scout', threadId: 'first', isOwn: true }),
      row('of_another_agent', { agentId: 'clerk' }),
      row('of_another_thread', { threadId: 'second', isOwn: true }),
    ];
    expect(found(rows)).toEqual(['everybody', 'mine']);
    const nobody: ResidentSearch = { ...search, scope: { ...search.scope, agentId: null } };
    const { hits } = indexOf(rows).searchLexical(['apple'], noFilter, nobody);
    expect(idsOf(hits.map(({ ref }) => ref))).toEqual(['everybody']);
  });

  it('[Q2,Q3] is of any thread where it is the caller\u2019s own history; a turn of nobody is found by nobody', () => {
    const elsewhere = { threadId: 'second' };
    const own = everyKind.map((kind) => ofKind(kind, { ...elsewhere, isOwn: true }));
    expect(found(own)).toEqual(['conversation', 'summary']);
    expect(found(everyKind.map((kind) => ofKind(kind, elsewhere)))).toEqual([]);
    expect(found(everyKind.map((kind) => ofKind(kind)))).toEqual(['chunk', 'entity', 'summary', 'workflow']);
  });

  it('[Q2,Q3] is current at the time, to the microsecond, and not quarantined', () => {
    const rows = [
      row('begins_now', { validFrom: search.at }),
      row('begins_later', { validFrom: instant('2026-06-01T00:00:00.000001Z') }),
      row('ends_now', { validUntil: search.at }),
      row('ends_later', { validUntil: instant('2026-06-01T00:00:00.000001Z') }),
      row('quarantined', { quarantined: true }),
    ];
    expect(found(rows)).toEqual(['begins_now', 'ends_later']);
  });

  it('[Q2,Q3] is in the collections that are asked for, where it is a passage, and not excluded', () => {
    const passage = (id: string, collection: string | null) => row(id, { ref: ['chunk', rowId(id), 1], collection });
    const rows = [passage('news', 'news'), passage('notes', 'notes'), passage('none', null), row('fact')];
    expect(found(rows, { collections: ['notes', 'unheard_of'] })).toEqual(['notes', 'fact']);
    expect(found(rows, { collections: [] })).toEqual(['fact']);
    const exclude: Ref[] = [
      ['chunk', rowId('news'), 1],
      ['chunk', rowId('none'), 2],
      ['entity', rowId('notes'), 1],
    ];
    expect(found(rows, { exclude })).toEqual(['none', 'notes', 'fact']);
  });

  it('[Q2] is counted in statistics though it is excluded or of another collection', () => {
    const index = indexOf([row('one', { lengths: [1, 0, 4, 0] }), row('two', { lengths: [0, 0, 1, 0], terms: [] })]);
    const filter = { ...noFilter, exclude: [['entity', rowId('one'), 1] as const] };
    expect(index.searchLexical(['apple', 'pear', 'apple'], filter, search)).toEqual({
      documents: 2,
      averageLengths: [0.5, 0, 2.5, 0],
      documentFrequencies: [1, 0, 1],
      hits: [],
    });
  });

  it('[Q2] is what a row said last: a row is replaced, one that was removed is gone', () => {
    const index = indexOf([row('one'), row('two')]);
    index.put(row('one', { terms: [['pear', [2, 0, 0, 0]]], signs: { text: null, context: null } }));
    index.remove(['entity', rowId('two'), 1]);
    index.remove(['entity', rowId('two'), 2]);
    expect(index.searchLexical(['apple', 'pear'], noFilter, search)).toMatchObject({
      documents: 1,
      documentFrequencies: [0, 1],
      hits: [
        {
          ref: ['entity', 'one', 1],
          frequencies: [
            [0, 0, 0, 0],
            [2, 0, 0, 0],
          ],
        },
      ],
    });
    expect(index.near(allSigns, 'text', noFilter, search)).toEqual([]);
    expect(index).toMatchObject({ rows: 1, signs: 0 });
    expect(index.waste).toBeCloseTo(2 / 3);
    expect(index.bytes).toBeGreaterThan(0);
  });

  it('[Q3] is nothing where nothing is wanted', () => {
    expect(found([row('one')], { limit: 0 })).toEqual([]);
    expect(createResidentIndex(dimensions).near(allSigns, 'context', noFilter, search)).toEqual([]);
  });
});

describe('a resident index beside a plain model', () => {
  it('[Q2,Q3] gives the same answers after any changes', () => {
    const rounds = fc.array(fc.tuple(fc.array(anyChange, { maxLength: 25 }), anyQuery), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rounds, (given) => {
        const index = createResidentIndex(dimensions);
        const plain = createPlainIndex();
        for (const [changes, { terms, filter, search: asked, question, part }] of given) {
          for (const change of changes) {
            for (const each of [index, plain]) {
              if ('row' in change) each.put(change.row);
              else each.remove(change.ref);
            }
          }
          expect(index.searchLexical(terms, filter, asked)).toEqual(plain.searchLexical(terms, filter, asked));
          const near = index.near(question, part, filter, asked).map((slot) => index.refAt(slot));
          expect(keys(near)).toEqual(keys(plain.near(question, part, filter, asked)));
          const vectors = plain.rows().flatMap(({ signs }) => [signs.text, signs.context]);
          expect(index.rows).toBe(plain.rows().length);
          expect(index.signs).toBe(vectors.filter((bits) => bits !== null).length);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('[Q2,Q3] gives the same answers in a large tenant: from a sample, and by signs', () => {
    const largest = fc.sample(anyRow, { seed: 7, numRuns: 4_000 }).map((each, at): ResidentRow => {
      const [kind, id, version] = each.ref;
      const isCommon = at % 4 !== 0;
      return {
        ...each,
        ref: [kind, rowId(`${id}_${at % 3_900}`), version],
        ...(isCommon ? { agentId: null, threadId: null, isOwn: true, quarantined: false, validUntil: null } : {}),
      };
    });
    const index = indexOf(largest);
    const plain = createPlainIndex([...new Map(largest.map((each) => [refKey(each.ref), each])).values()]);
    const queries = fc.sample(anyQuery, { seed: 11, numRuns: 12 }).map((query, at) => ({
      ...query,
      filter: at % 2 === 0 ? { ...query.filter, kinds: everyKind, limit: 20 + 400 * at } : query.filter,
    }));
    const answers = queries.map(({ terms, filter, search: asked, question: vector, part }) => {
      const answer = index.searchLexical(terms, filter, asked);
      const nearest = index.near(vector, part, filter, asked).map((slot) => index.refAt(slot));
      expect(answer).toEqual(plain.searchLexical(terms, filter, asked));
      expect(keys(nearest)).toEqual(keys(plain.near(vector, part, filter, asked)));
      return { documents: answer.documents, frequencies: answer.documentFrequencies, nearest: nearest.length };
    });
    expect(answers.some(({ documents }) => documents > 5_000)).toBe(true);
    expect(answers.some(({ frequencies }) => frequencies.some((frequency) => frequency > 1_000))).toBe(true);
    expect(answers.some(({ nearest }) => nearest === 500)).toBe(true);
  });

  it('[Q2] counts a term of a large tenant up to 1,000 rows, and then as the sample says', () => {
    const rows = Array.from({ length: 2_000 }, (_, at) => {
      const sampled = at % 4 === 0;
      const held = [
        ...(at < 1_000 ? ['thousand'] : []),
        ...(at < 999 ? ['fewer'] : []),
        ...(at < 1_400 && !sampled ? ['outside'] : []),
      ];
      return row(String(at), { sampled, terms: held.map((term) => [term, [0, 0, 1, 0]]) });
    });
    const answer = indexOf(rows).searchLexical(['thousand', 'fewer', 'outside'], noFilter, search);
    expect(answer.documents).toBe(16 * 500);
    expect(answer.documentFrequencies).toEqual([16 * 250, 999, 1_000]);
  });

  it('[Q2] counts no term in more than 50,000 rows, and of many terms searches for 200', () => {
    const many = Array.from({ length: 3_300 }, (_, at) => row(String(at), { sampled: true }));
    const index = indexOf([...many, row('last', { terms: [['term_200', [0, 0, 1, 0]]] })]);
    const terms = ['apple', ...Array.from({ length: 200 }, (_, at) => `term_${at + 1}`)];
    const { documents, documentFrequencies } = index.searchLexical(terms, noFilter, search);
    expect(documents).toBe(52_800);
    expect(documentFrequencies[0]).toBe(50_000);
    expect(documentFrequencies[200]).toBe(0);
    expect(index.searchLexical(terms.slice(1), noFilter, search).documentFrequencies[199]).toBe(1);
  });
});
