// Rows and searches out of few values, so that they often meet.

import * as fc from 'fast-check';
import { agentId, rowId, tenantId, threadId, userId } from '../../../src/model/ids.ts';
import type { Ref, SeatableType } from '../../../src/model/memory.ts';
import { instant } from '../../../src/model/time.ts';
import type { ResidentRow, ResidentSearch } from '../../../src/store/resident/resident_row.ts';
import type { PerField, SearchFilter } from '../../../src/store/search_values.ts';

/** No multiple of 32, nor of 8. */
export const dimensions = 45;

const kinds = ['entity', 'workflow', 'summary', 'conversation', 'chunk'] as const satisfies readonly SeatableType[];
const agents = ['scout', 'clerk'] as const;
const threads = ['first', 'second'] as const;
const words = ['apple', 'pear', 'fig', 'plum', '検索', "a'b", 'x'.repeat(255)];
const moments = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000001Z', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'];

const maybe = <Value>(values: readonly Value[]): fc.Arbitrary<Value | null> => fc.constantFrom(null, ...values);

const frequencies: fc.Arbitrary<PerField> = fc.tuple(
  fc.nat(2),
  fc.constantFrom(0, 1),
  fc.constantFrom(0, 1, 2, 300, 32_767),
  fc.nat(3),
);

const signBits: fc.Arbitrary<Uint8Array | null> = fc.option(
  fc.array(fc.boolean(), { minLength: dimensions, maxLength: dimensions }).map(packed),
);

/** Bits as PostgreSQL packs them: most significant bit first, the last byte filled with zeros. */
export function packed(bits: readonly boolean[]): Uint8Array {
  return Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, byte) =>
    [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, bit) => sum * 2 + (bits[8 * byte + bit] === true ? 1 : 0), 0),
  );
}

const anyRef: fc.Arbitrary<Ref> = fc.tuple(
  fc.constantFrom(...kinds),
  fc.constantFrom('b', 'a', 'a_', 'Z').map(rowId),
  fc.constantFrom(1, 2),
);

/** A row of one of forty refs. */
export const anyRow: fc.Arbitrary<ResidentRow> = fc.record({
  ref: anyRef,
  agentId: maybe(agents),
  threadId: maybe(threads),
  isOwn: fc.boolean(),
  collection: maybe(['news', 'notes']),
  group: maybe(['first', 'document']),
  validFrom: fc.constantFrom(...moments.map((text) => instant(text))),
  validUntil: maybe(moments.map((text) => instant(text))),
  quarantined: fc.nat(9).map((one) => one === 0),
  sampled: fc.boolean(),
  lengths: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(70_000), fc.nat(400)),
  terms: fc.uniqueArray(fc.tuple(fc.constantFrom(...words), frequencies), { selector: ([term]) => term }),
  signs: fc.record({ text: signBits, context: signBits }),
});

/** What is asked: words, some of them twice, unknown, or no terms at all. */
const anyTerms: fc.Arbitrary<readonly string[]> = fc.array(
  fc.constantFrom(...words, 'unknown', '', 'x'.repeat(256), '\u0001acme'),
  { maxLength: 8 },
);

const anyFilter: fc.Arbitrary<SearchFilter> = fc.record({
  kinds: fc.subarray([...kinds]),
  collections: fc.option(fc.subarray(['news', 'notes', 'elsewhere'])),
  exclude: fc.array(anyRef, { maxLength: 4 }),
  limit: fc.constantFrom(0, 1, 2, 3, 5, 50),
});

const anySearch: fc.Arbitrary<ResidentSearch> = fc.record({
  scope: fc.record({
    tenantId: fc.constant(tenantId('acme')),
    userId: fc.constant(userId('jane')),
    agentId: maybe([...agents, 'unknown'].map(agentId)),
    threadId: fc.constantFrom(...threads.map(threadId), threadId('unknown')),
    roles: fc.constant([]),
    oauthScopes: fc.constant(null),
  }),
  at: fc.constantFrom(...moments.map((text) => instant(text))),
});

const anyQuestion: fc.Arbitrary<Float32Array> = fc
  .array(fc.constantFrom(-1, -0.5, 0, 0.5, 1), { minLength: dimensions, maxLength: dimensions })
  .map((components) => Float32Array.from(components));

/** A row that is put, or the ref of one that is removed. */
export const anyChange = fc.oneof(
  { weight: 5, arbitrary: anyRow.map((row) => ({ row })) },
  { weight: 1, arbitrary: anyRef.map((ref) => ({ ref })) },
);

/** What both searches ask. */
export const anyQuery = fc.record({
  terms: anyTerms,
  filter: anyFilter,
  search: anySearch,
  question: anyQuestion,
  part: fc.constantFrom('text' as const, 'context' as const),
});
