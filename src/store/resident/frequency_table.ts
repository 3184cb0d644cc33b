// How often a term occurs in the four fields of a row: few combinations are met again and again, so each has a number.

import type { PerField } from '../search_values.ts';

/** Numbers of combinations, in the order in which they came. */
export interface FrequencyTable {
  /** About so many. */
  readonly bytes: number;
  /** The combination's number, given to it now where it has none. */
  add(frequencies: PerField): number;
  at(code: number): PerField;
}

// Frequencies are below this (the database keeps them in 16 bits), so that two of them make one whole number.
const radix = 65_536;

// What the runtime keeps of a combination: its list of four, its place in a map and in the list of all.
const bytesEach = 120;

const noField: PerField = [0, 0, 0, 0];

/** Makes an empty table. */
export function createFrequencyTable(): FrequencyTable {
  // Two maps of whole numbers: a key of all four would be a text, and making it would cost more than the rest.
  const codes = new Map<number, Map<number, number>>();
  const combinations: PerField[] = [];
  return {
    get bytes() {
      return combinations.length * bytesEach;
    },
    add: (frequencies) => {
      const [title, date, body, context] = frequencies;
      const head = title * radix + date;
      const inner = codes.get(head) ?? new Map<number, number>();
      if (inner.size === 0) codes.set(head, inner);
      const rest = body * radix + context;
      const known = inner.get(rest);
      if (known !== undefined) return known;
      inner.set(rest, combinations.length);
      return combinations.push([title, date, body, context]) - 1;
    },
    at: (code) => combinations[code] ?? noField,
  };
}
