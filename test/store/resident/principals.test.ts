// How much is kept for everybody together, and who goes first.

import { expect, it } from 'vitest';
import { rowId } from '../../../src/model/ids.ts';
import { instant } from '../../../src/model/time.ts';
import { createPrincipals } from '../../../src/store/resident/principals.ts';
import type { SearchedStore } from '../../../src/store/resident/principals.ts';
import { bytesOf, createCopy } from '../../../src/store/resident/resident_sync.ts';
import type { ResidentCopy } from '../../../src/store/resident/resident_sync.ts';
import { scope, testEmbedder } from '../harness.ts';

const bounds = { rows: 100, vectorBytes: 1_000 };
const usual = { ...bounds, bytes: 2 ** 20, principals: 10 };
const store: SearchedStore = {
  embedder: testEmbedder,
  run: () => Promise.reject(new Error('nothing is read here')),
};

function copyOfRows(count: number): ResidentCopy {
  const copy = createCopy(testEmbedder, bounds);
  for (let row = 0; row < count; row += 1) {
    copy.index.put({
      ref: ['entity', rowId(`row_${row}`), 1],
      agentId: null,
      threadId: null,
      isOwn: true,
      collection: null,
      group: null,
      validFrom: instant('2026-01-01T00:00:00Z'),
      validUntil: null,
      quarantined: false,
      sampled: false,
      lengths: [0, 0, 1, 0],
      terms: [[`term_${row}`, [0, 0, 1, 0]]],
      signs: { text: null, context: null },
    });
  }
  return copy;
}

it('[N8] makes room by those who did not search for the longest', () => {
  const size = bytesOf(copyOfRows(50));
  const principals = createPrincipals({ ...usual, bytes: 2.5 * size });
  const [jane, sam, kim] = ['jane', 'sam', 'kim'].map((user) => principals.searching(scope('acme', user), store));
  for (const principal of [jane!, sam!, kim!]) principal.copy = copyOfRows(50);
  principals.searching(scope('acme', 'jane'), store);
  expect(principals.makeRoom(kim!)).toBe(true);
  expect([jane, sam, kim].map((principal) => principal!.copy !== null)).toEqual([true, false, true]);
  // What is being read counts as what is read.
  kim!.loading = copyOfRows(50);
  expect(principals.makeRoom(kim!)).toBe(true);
  expect([jane!.copy, kim!.copy === null, kim!.loading === null]).toEqual([null, false, false]);
});

it('[N8] tells who is too large alone, after all others have gone', () => {
  const size = bytesOf(copyOfRows(50));
  const principals = createPrincipals({ ...usual, bytes: 0.5 * size });
  const jane = principals.searching(scope('acme', 'jane'), store);
  const sam = principals.searching(scope('acme', 'sam'), store);
  jane.copy = copyOfRows(50);
  sam.copy = copyOfRows(2);
  expect(principals.makeRoom(jane)).toBe(false);
  expect([jane.copy, sam.copy]).toEqual([null, null]);
});

it('[I1] keeps tenants, users and embedders apart, whatever their names are', () => {
  const principals = createPrincipals(usual);
  const half: SearchedStore = { ...store, embedder: { ...testEmbedder, dimensions: 2 } };
  const all = [
    principals.searching(scope('a', 'b'), store),
    principals.searching(scope('b', 'a'), store),
    principals.searching(scope('a","b', 'c'), store),
    principals.searching(scope('a', 'b","c'), store),
    principals.searching(scope('a', 'b'), half),
  ];
  expect(new Set(all).size).toBe(5);
  expect(principals.searching(scope('a', 'b', { agent: 'scout', thread: 'old' }), store)).toBe(all[0]);
});

it('[E1] forgets all of a tenant, with what is being read for it', () => {
  const principals = createPrincipals(usual);
  const [jane, sam, other] = [
    principals.searching(scope('acme', 'jane'), store),
    principals.searching(scope('acme', 'sam'), store),
    principals.searching(scope('globex', 'jane'), store),
  ];
  jane.copy = copyOfRows(1);
  sam.loading = copyOfRows(1);
  sam.isWanted = true;
  other.copy = copyOfRows(1);
  principals.forget(jane.scope.tenantId);
  expect([jane.copy, sam.loading, other.copy === null]).toEqual([null, null, false]);
  expect(principals.wanted()).toBeUndefined();
  expect(principals.searching(jane.scope, store)).not.toBe(jane);
});
