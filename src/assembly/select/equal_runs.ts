// Equal runs of symbols in one sequence, found by sorting (design S6): no hashes, so no input takes longer than others.

/**
 * Groups the runs of `length` symbols that begin at `starts`, which ascend: each group holds the starts of equal runs,
 * ascending. `numberOf` gives a symbol's number, from 0; it is asked once for each place in the sequence.
 */
export function equalRuns(numberOf: (at: number) => number, starts: Int32Array, length: number): readonly Int32Array[] {
  const symbols = new Int32Array((starts.at(-1) ?? 0) + length);
  let [range, read] = [0, 0];
  for (const start of starts) {
    for (let at = Math.max(start, read); at < start + length; at += 1) {
      const symbol = numberOf(at);
      symbols[at] = symbol;
      range = Math.max(range, symbol + 1);
    }
    read = start + length;
  }
  let sorted = starts;
  for (let offset = length - 1; offset >= 0; offset -= 1) sorted = sortedBy(symbols, offset, sorted, range);
  const groups: Int32Array[] = [];
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    to = from + 1;
    while (to < sorted.length && isEqual(symbols, sorted[from] ?? 0, sorted[to] ?? 0, length)) to += 1;
    groups.push(sorted.subarray(from, to));
  }
  return groups;
}

/** Sorts runs by their symbol at the offset, those that are equal in it as they were. */
function sortedBy(symbols: Int32Array, offset: number, starts: Int32Array, range: number): Int32Array {
  const slots = new Int32Array(range + 1);
  for (const start of starts) {
    const after = (symbols[start + offset] ?? 0) + 1;
    slots[after] = (slots[after] ?? 0) + 1;
  }
  for (let symbol = 1; symbol < range; symbol += 1) slots[symbol] = (slots[symbol] ?? 0) + (slots[symbol - 1] ?? 0);
  const sorted = new Int32Array(starts.length);
  for (const start of starts) {
    const symbol = symbols[start + offset] ?? 0;
    const slot = slots[symbol] ?? 0;
    sorted[slot] = start;
    slots[symbol] = slot + 1;
  }
  return sorted;
}

function isEqual(symbols: Int32Array, one: number, other: number, length: number): boolean {
  for (let offset = 0; offset < length; offset += 1) {
    if (symbols[one + offset] !== symbols[other + offset]) return false;
  }
  return true;
}
