// Imports (design D7): all or nothing, twice is once, and fast enough for thousands of rows.

import { expect, it } from 'vitest';
import { rowId, threadId, userId } from '../../src/model/ids.ts';
import { instantFromMicros, microsOf, instant } from '../../src/model/time.ts';
import type { OpenedStore } from './harness.ts';
import {
  document,
  entity,
  entry,
  event,
  guideline,
  ids,
  importRows,
  newTenant,
  persona,
  read,
  scope,
  summary,
  tool,
  turn,
  workflow,
  write,
} from './harness.ts';

const budget = {
  usable_context: 5000,
  output_reserve: 400,
  tool_reserve: 1000,
  request_overhead_reserve: 500,
  max_rounds: 3,
  max_tool_result_tokens: 1000,
  weights: { rerank: 0.6, confidence: 0.25, recency: 0.15 },
  recency_days: 60,
  shares: { default: { durable_facts: 0.25, evidence: 0.25, recalled_history: 0.25, volatile_tail: 0.25 } },
  overflow_order: ['evidence', 'durable_facts', 'volatile_tail', 'recalled_history'],
};

export function contractOfImport(given: () => OpenedStore): void {
  it('[D7] importing twice changes nothing, and rows whose id exists stay as they are', async () => {
    const { store } = given();
    const tenant = newTenant();
    const fact = entity();
    const paper = document({}, ['One.', 'Two.']);
    const said = turn();
    const batch = {
      rows: [guideline(), persona(), tool(), fact, workflow(), summary(), paper, said],
      provenance: [{ derived: ['entity', fact.id, 1], source: ['document', paper.id, 1], relation: 'derived_from' }],
      links: [{ source: ['entity', fact.id, 1], target: ['document', paper.id, 1], relation: 'supports' }],
      index: [entry(['entity', fact.id, 1], fact.content)],
    } as const;
    expect(await importRows(store, tenant, batch)).toEqual({ inserted: 8, unchanged: 0 });
    const changed = { ...batch, rows: [{ ...fact, content: 'Changed.' }, ...batch.rows.filter((row) => row !== fact)] };
    expect(await importRows(store, tenant, changed)).toEqual({ inserted: 0, unchanged: 8 });
    await read(store, scope(tenant), async (reader) => {
      expect(await reader.memories([['entity', fact.id, 1]])).toMatchObject([{ content: fact.content }]);
      expect(await reader.provenance([['entity', fact.id, 1]])).toHaveLength(1);
      expect(await reader.links([['entity', fact.id, 1]])).toHaveLength(1);
    });
  });

  it('[D7] one bad row refuses the whole import', async () => {
    const { store } = given();
    const tenant = newTenant();
    await importRows(store, tenant, { rows: [entity({ subject: 'taken' })] });
    await expect(
      importRows(store, tenant, { rows: [guideline(), entity({ subject: 'taken' })] }),
    ).rejects.toMatchObject({
      code: 'version_conflict',
    });
    await expect(importRows(store, tenant, { rows: [guideline(), turn({ threadId: null })] })).rejects.toMatchObject({
      code: 'invalid_argument',
      data: { field: 'threadId' },
    });
    expect(await read(store, scope(tenant), (reader) => reader.guidelines())).toEqual([]);
  });

  it('[D5] turns take the next numbers of their threads in the order of the batch', async () => {
    const { store } = given();
    const tenant = newTenant();
    await write(store, scope(tenant), (writer) => writer.appendEvent(event()));
    const later = instant('2026-03-01T00:00:00Z');
    const rows = [
      turn({ id: rowId('z'), createdAt: later }),
      turn({ id: rowId('other'), threadId: threadId('other') }),
      turn({ id: rowId('a') }),
      turn({ id: rowId('m'), eventType: 'model_msg' }),
    ];
    await importRows(store, tenant, { rows });
    expect(await importRows(store, tenant, { rows: [rows[0]!, turn({ id: rowId('b') }), rows[3]!] })).toEqual({
      inserted: 1,
      unchanged: 2,
    });
    const next = await write(store, scope(tenant), (writer) => writer.appendEvent(event()));
    expect(next.turnIndex).toBe(6);
    const tail = await read(store, scope(tenant), (reader) => reader.tail(10));
    expect(ids(tail).slice(0, 5)).toEqual([next.eventId, 'b', 'm', 'a', 'z']);
    expect(tail.map((row) => row.turnIndex)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('[B3] a policy row that could not be read back, or is not the tenant’s, is refused when written', async () => {
    const { store } = given();
    const tenant = newTenant();
    const policy = (value: object, more: Parameters<typeof guideline>[0] = {}) =>
      importRows(store, tenant, {
        rows: [guideline({ key: 'context_budget', value: { ...budget, ...value }, ...more })],
      });
    await expect(policy({ max_rounds: -1 })).rejects.toMatchObject({
      code: 'policy_invalid',
      data: { field: 'max_rounds' },
    });
    await expect(policy({}, { userId: userId('jane') })).rejects.toMatchObject({
      code: 'policy_invalid',
      data: { field: 'user_id' },
    });
    await expect(
      write(store, scope(tenant), (writer) =>
        writer.putVersion(guideline({ key: 'context_retrieval', value: {}, userId: userId('jane') }), 0, []),
      ),
    ).rejects.toMatchObject({ code: 'policy_invalid' });
    expect(await policy({})).toEqual({ inserted: 1, unchanged: 0 });
  });

  it('an index entry that was not made of its row is left out of an import', async () => {
    const { store } = given();
    const tenant = newTenant();
    const fact = entity({ content: 'true words' });
    await importRows(store, tenant, {
      rows: [fact],
      index: [entry(['entity', fact.id, 1], 'false words'), entry(['entity', rowId('nowhere'), 1], 'nothing')],
    });
    const { documents } = await read(store, scope(tenant), (reader) =>
      reader.searchLexical(['words'], { kinds: ['entity'], collections: null, exclude: [], limit: 5 }),
    );
    expect(documents).toBe(0);
  });

  it('provenance and links of private rows are private', async () => {
    const { store } = given();
    const tenant = newTenant();
    const shared = entity();
    const own = summary({ userId: userId('jane') });
    const edge = { derived: ['summary', own.id, 1], source: ['entity', shared.id, 1], relation: 'mentions' } as const;
    const link = { source: ['entity', shared.id, 1], target: ['summary', own.id, 1], relation: 'supports' } as const;
    await importRows(store, tenant, { rows: [shared, own], provenance: [edge], links: [link] });
    const seen = (user: string) =>
      read(store, scope(tenant, user), async (reader) => [
        await reader.provenance([edge.derived]),
        await reader.links([link.source]),
      ]);
    expect(await seen('jane')).toEqual([[edge], [link]]);
    expect(await seen('sam')).toEqual([[], []]);
  });

  it('[D7,Q3,N2] brings thousands of rows in batches, searchable at once, the nearest by sign bits too', async () => {
    const { store } = given();
    const tenant = newTenant();
    const start = microsOf(instant('2026-01-01T00:00:00Z'));
    const rows = Array.from({ length: 2500 }, (_, index) =>
      turn({
        threadId: threadId(`thread_${index % 7}`),
        text: `turn number_${index} says word_${index % 50}`,
        createdAt: instantFromMicros(start + index * 1_000_000),
      }),
    );
    const others = [turn({ userId: userId('sam'), text: 'of another user' })];
    const index = [...rows, ...others].map((row, place) =>
      entry(['conversation', row.id, 1], row.text, {
        vector: [1, place % 2 === 0 ? -1 : 1, 1, place % 3 === 0 ? -1 : 0.5],
      }),
    );
    // What the question is nearest to, and a twin of it that the caller must not see.
    const best = [1234, 2500].map((place) => {
      const row = [...rows, ...others][place]!;
      return entry(['conversation', row.id, 1], row.text, { vector: [1, 1, 1, 1] });
    });
    const kept = index.filter(({ ref }) => best.every((one) => one.ref[1] !== ref[1]));
    const batch = { rows: [...rows, ...others], index: [...kept, ...best] };
    expect(await importRows(store, tenant, batch)).toEqual({ inserted: 2501, unchanged: 0 });
    await read(store, scope(tenant, 'jane', { thread: 'thread_3' }), async (reader) => {
      const filter = { kinds: ['conversation'], collections: null, exclude: [], limit: 100 } as const;
      const found = await reader.searchLexical(['number_1234', 'says'], filter);
      expect([found.documents, found.documentFrequencies]).toEqual([2500, [1, 2500]]);
      expect(found.hits[0]?.ref[1]).toBe(rows[1234]!.id);
      expect(found.hits[0]?.group).toBe('thread_2');
      expect((await reader.tail(1))[0]?.turnIndex).toBe(357);
      const near = await reader.searchVector(Float32Array.from([1, 1, 1, 1]), 'text', filter);
      expect(near).toHaveLength(100);
      expect(near[0]?.ref[1]).toBe(rows[1234]!.id);
      expect([near[0]?.cosine, near[1]?.cosine].map((cosine) => Number(cosine?.toFixed(4)))).toEqual([1, 0.9707]);
    });
  });
}
