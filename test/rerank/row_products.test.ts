// Products of rows by vector instructions (design Q6): exact, whatever the rows hold.

import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiledProducts } from '../../scripts/compile_products.ts';
import { rowProducts } from '../../src/rerank/row_products.ts';

function product(rows: Int8Array, dimensions: number, [a, b]: readonly [number, number]): number {
  let sum = 0;
  for (let at = 0; at < dimensions; at += 1) sum += rows[a * dimensions + at]! * rows[b * dimensions + at]!;
  return sum;
}

/** Whole numbers as a row may have them, its ends most of all: there a product is as large as it gets. */
const number = fc.oneof(fc.constantFrom(-128, 127, 0), fc.integer({ min: -128, max: 127 }));

describe('products of rows [Q6]', () => {
  it('are those of the numbers, for rows of any length', () => {
    const cases = fc
      .record({ dimensions: fc.constantFrom(1, 8, 15, 16, 17, 61, 256), count: fc.integer({ min: 1, max: 12 }) })
      .chain(({ dimensions, count }) =>
        fc.record({
          dimensions: fc.constant(dimensions),
          numbers: fc.array(number, { minLength: dimensions * count, maxLength: dimensions * count }),
          chosen: fc.array(fc.nat(count - 1), { maxLength: 9 }),
        }),
      );
    fc.assert(
      fc.property(cases, ({ dimensions, numbers, chosen }) => {
        const rows = Int8Array.from(numbers);
        const all = Array.from({ length: rows.length / dimensions }, (_, row) => row);
        const products = rowProducts({ rows, dimensions }, { chosen: 9, rows: 12 })(chosen).productsWith(all);
        const expected = all.flatMap((row) => chosen.map((one) => product(rows, dimensions, [one, row])));
        expect([...products].slice(0, expected.length)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('are exact at the longest rows, and longer ones are refused', () => {
    const dimensions = 2 ** 17 - 1;
    const rows = new Int8Array(dimensions).fill(-128);
    const room = { chosen: 1, rows: 1 };
    expect([...rowProducts({ rows, dimensions }, room)([0]).productsWith([0])]).toEqual([dimensions * 2 ** 14]);
    expect(() => rowProducts({ rows: new Int8Array(2 ** 17), dimensions: 2 ** 17 }, room)).toThrow(RangeError);
  });

  it('are refused for more rows than there is room for', () => {
    const choose = rowProducts({ rows: Int8Array.of(1, 2, 3), dimensions: 1 }, { chosen: 2, rows: 1 });
    expect([...choose([2, 1]).productsWith([2])]).toEqual([9, 6]);
    expect(() => choose([0, 1, 2])).toThrow(RangeError);
    expect(() => choose([0]).productsWith([0, 1])).toThrow(RangeError);
  });

  it('come from bytes that are compiled from the text beside them', async () => {
    const module = readFileSync(new URL('../../src/rerank/row_products.ts', import.meta.url), 'utf8');
    expect(module).toContain(`const compiled =\n  '${await compiledProducts()}'`);
  });
});
