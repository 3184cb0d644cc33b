// What a resident index answers is what the statements of a search answer: rules by example, the rest beside a plain model.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refKey } from '../../../src/model/memory.ts';
import type { Ref } from '../../../src/model/memory.ts';
import { createResidentIndex } from '../../../src/store/resident/resident_index.ts';
import { createPlainIndex } from './plain_index.ts';
import { anyFilter, anyQuestion, anyRef, anyRow, anySearch, anyTerms, dimensions } from './random_rows.ts';

const keys = (refs: readonly Ref[]): readonly string[] => refs.map(refKey).toSorted();

const anyChange = fc.oneof(
  { weight: 5, arbitrary: anyRow.map((row) => ({ row })) },
  { weight: 1, arbitrary: anyRef.map((ref) => ({ ref })) },
);
const anyQuery = fc.record({
  terms: anyTerms,
  filter: anyFilter,
  search: anySearch,
  question: anyQuestion,
  part: fc.constantFrom('text' as const, 'context' as const),
});

describe('a resident index beside a plain model', () => {
  it('[Q2,Q3] gives the same answers after any changes', () => {
    const rounds = fc.array(fc.tuple(fc.array(anyChange, { maxLength: 25 }), anyQuery), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rounds, (given) => {
        const index = createResidentIndex(dimensions);
        const plain = createPlainIndex();
        for (const [changes, { terms, filter, search, question, part }] of given) {
          for (const change of changes) {
            for (const each of [index, plain]) {
              if ('row' in change) each.put(change.row);
              else each.remove(change.ref);
            }
          }
          expect(index.searchLexical(terms, filter, search)).toEqual(plain.searchLexical(terms, filter, search));
          expect(keys(index.near(question, part, filter, search))).toEqual(
            keys(plain.near(question, part, filter, search)),
          );
          const vectors = plain.rows().flatMap(({ signs }) => [signs.text, signs.context]);
          expect(index.rows).toBe(plain.rows().length);
          expect(index.signs).toBe(vectors.filter((bits) => bits !== null).length);
        }
      }),
      { numRuns: 300 },
    );
  });
});
