// The best of many without sorting them all: a heap of as many as are wanted, the worst of them on top.

/** Keeps the best of what it is offered: the higher score, of equal ones the one that comes first in the given order. */
export interface Best {
  offer(slot: number, score: number): void;
  /** What was kept, best first. Ends the use of it. */
  taken(): number[];
}

/** Keeps so many; `compare` orders slots of equal score and calls no two of them equal. */
export function createBest(limit: number, compare: (a: number, b: number) => number): Best {
  const slots: number[] = [];
  const scores: number[] = [];
  const isBehind = (slot: number, score: number, other: number): boolean => {
    const against = scores[other] ?? 0;
    return score === against ? compare(slot, slots[other] ?? 0) > 0 : score < against;
  };
  const place = (at: number, slot: number, score: number): void => {
    slots[at] = slot;
    scores[at] = score;
  };
  const rise = (slot: number, score: number): void => {
    let at = slots.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBehind(slot, score, parent)) break;
      place(at, slots[parent] ?? 0, scores[parent] ?? 0);
      at = parent;
    }
    place(at, slot, score);
  };
  /** Puts one in place of the worst. */
  const sink = (slot: number, score: number): void => {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= slots.length) break;
      if (child + 1 < slots.length && isBehind(slots[child + 1] ?? 0, scores[child + 1] ?? 0, child)) child += 1;
      if (isBehind(slot, score, child)) break;
      place(at, slots[child] ?? 0, scores[child] ?? 0);
      at = child;
    }
    place(at, slot, score);
  };
  return {
    offer: (slot, score) => {
      if (slots.length < limit) rise(slot, score);
      else if (limit > 0 && !isBehind(slot, score, 0)) sink(slot, score);
    },
    taken: () =>
      slots
        .map((slot, at) => ({ slot, score: scores[at] ?? 0 }))
        .toSorted((a, b) => b.score - a.score || compare(a.slot, b.slot))
        .map(({ slot }) => slot),
  };
}
