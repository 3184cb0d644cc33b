// Writes: turns in order, versions one at a time, text that can be stored, failures that leave nothing behind.

import { describe, expect, it } from 'vitest';
import { agentId, rowId, threadId, userId } from '../../src/model/ids.ts';
import type { MemoryError } from '../../src/model/errors.ts';
import { instant } from '../../src/model/time.ts';
import type { NewVersionedRow } from '../../src/store/written_rows.ts';
import type { OpenedStore } from './harness.ts';
import {
  document,
  entity,
  entry,
  event,
  guideline,
  ids,
  importRows,
  newId,
  newTenant,
  operate,
  operator,
  options,
  persona,
  read,
  scope,
  tool,
  turn,
  workflow,
  write,
} from './harness.ts';

export function contractOfWrites(given: () => OpenedStore): void {
  describe('events', () => {
    it('[D5] 50 concurrent appends to one thread give turn_index 1 to 50', async () => {
      const tenant = newTenant();
      const appended = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          write(given().store, scope(tenant), (writer) =>
            writer.appendEvent(event({ eventType: index % 2 === 0 ? 'user_msg' : 'model_msg' })),
          ),
        ),
      );
      const indexes = appended.map(({ turnIndex }) => turnIndex ?? 0).toSorted((a, b) => a - b);
      expect(indexes).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    });

    it('[D5,I2] turns are counted within tenant, user, agent and thread; other events take no number', async () => {
      const tenant = newTenant();
      const append = (as: ReturnType<typeof scope>, type: 'user_msg' | 'tool_call' = 'user_msg') =>
        write(given().store, as, async (writer) => (await writer.appendEvent(event({ eventType: type }))).turnIndex);
      expect(await append(scope(tenant))).toBe(1);
      expect(await append(scope(tenant), 'tool_call')).toBeNull();
      expect(await append(scope(tenant))).toBe(2);
      expect(await append(scope(tenant, 'sam'))).toBe(1);
      expect(await append(scope(tenant, 'jane', { agent: 'helper' }))).toBe(1);
      expect(await append(scope(tenant, 'jane', { thread: 'other' }))).toBe(1);
      expect(await append(scope(newTenant()))).toBe(1);
      expect(await append(scope(tenant))).toBe(3);
    });

    it('[D5] a write that fails leaves no hole in the numbers', async () => {
      const tenant = newTenant();
      const said = event();
      await write(given().store, scope(tenant), (writer) => writer.appendEvent(said));
      await expect(
        write(given().store, scope(tenant), async (writer) => {
          await writer.appendEvent(event());
          await writer.appendEvent(said);
        }),
      ).rejects.toMatchObject({ code: 'version_conflict' });
      const next = await write(given().store, scope(tenant), (writer) => writer.appendEvent(event()));
      expect(next.turnIndex).toBe(2);
    });

    it('[N3] the database stamps an event, never later than a read that sees it', async () => {
      const tenant = newTenant();
      const { createdAt } = await write(given().store, scope(tenant), (writer) => writer.appendEvent(event()));
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const [evaluationTime, tail] = await read(given().store, scope(tenant), async (reader) => [
        reader.position.evaluationTime,
        await reader.tail(5),
      ]);
      expect(createdAt <= evaluationTime).toBe(true);
      expect(tail.map((row) => row.lifecycle.createdAt)).toEqual([createdAt]);
    });

    it('[D5,N3] events of one call are kept in their order, each as it was given; a turn is never among them', async () => {
      const { store } = given();
      const as = scope(newTenant(), 'jane', { agent: 'helper' });
      // Ids against the order, so that nothing else could bring it about.
      const events = [9, 8, 7, 6].map((digit) =>
        event({
          eventId: rowId(`event_${digit}`),
          eventType: 'tool_call',
          role: digit === 9 ? null : 'tool',
          payload: { digit, deep: { text: 'a "quoted" \\ \u2028 ü', none: null, share: 0.1 } },
          tokenCost: digit === 8 ? null : digit,
          latencyMs: digit / 10,
        }),
      );
      await write(store, as, (writer) => writer.appendEvents(events));
      const found = await read(store, as, (reader) => reader.recentEvents(['tool_call'], 10));
      expect(found.map(({ eventId, role, payload }) => ({ eventId, role, payload }))).toEqual(
        events.toReversed().map(({ eventId, role, payload }) => ({ eventId, role, payload })),
      );
      expect(found[0]).toMatchObject({ userId: 'jane', agentId: 'helper', threadId: 'main', turnIndex: null });
      expect(
        await read(store, { ...as, userId: userId('sam') }, (reader) => reader.recentEvents(['tool_call'], 9)),
      ).toEqual([]);
      const withTurn = [event({ eventType: 'feedback' }), event({ eventType: 'user_msg' })];
      await expect(write(store, as, (writer) => writer.appendEvents(withTurn))).rejects.toMatchObject({
        code: 'internal',
      });
      expect(await read(store, as, (reader) => reader.recentEvents(['feedback', 'user_msg'], 9))).toEqual([]);
    });

    it('recent events are this principal’s, of this thread and these types, newest first', async () => {
      const tenant = newTenant();
      const asked = event({ eventType: 'clarification', role: 'user', payload: { question: 'Which?' } });
      const called = event({
        eventType: 'tool_call',
        role: 'assistant',
        payload: { tool: 'x' },
        latencyMs: 1.5,
        tokenCost: 3,
      });
      await write(given().store, scope(tenant), async (writer) => {
        await writer.appendEvent(asked);
        await writer.appendEvent(called);
        await writer.appendEvent(event());
      });
      const recent = (as: ReturnType<typeof scope>) =>
        read(given().store, as, (reader) => reader.recentEvents(['tool_call', 'clarification'], 10));
      const found = await recent(scope(tenant));
      expect(found.map((one) => one.eventId)).toEqual([called.eventId, asked.eventId]);
      expect(found[1]).toMatchObject({
        role: 'user',
        userId: 'jane',
        threadId: 'main',
        payload: { question: 'Which?' },
      });
      expect(await recent(scope(tenant, 'jane', { thread: 'other' }))).toEqual([]);
      expect(await recent(scope(tenant, 'sam'))).toEqual([]);
    });
  });

  describe('text', () => {
    it('[D8] a lone surrogate becomes U+FFFD, everywhere in a payload', async () => {
      const tenant = newTenant();
      const broken = event({
        eventType: 'feedback',
        payload: { text: 'a\ud800b', list: ['\udc00', { 'k\ud800': 'ok 🙂' }] },
      });
      await write(given().store, scope(tenant), (writer) => writer.appendEvent(broken));
      const [stored] = await read(given().store, scope(tenant), (reader) => reader.recentEvents(['feedback'], 1));
      expect(stored?.payload).toEqual({ text: 'a\ufffdb', list: ['\ufffd', { 'k\ufffd': 'ok 🙂' }] });
    });

    it('[D8] U+0000 is refused with the name of its field, in events, rows and imports', async () => {
      const { store } = given();
      const tenant = newTenant();
      await expect(
        write(store, scope(tenant), (writer) => writer.appendEvent(event({ payload: { parts: ['ok', 'a\u0000b'] } }))),
      ).rejects.toMatchObject({ code: 'text_refused', data: { field: 'payload.parts[1]' } });
      const bad = entity({ content: 'a\u0000', userId: userId('jane') });
      await expect(write(store, scope(tenant), (writer) => writer.putVersion(bad, 0, []))).rejects.toMatchObject({
        code: 'text_refused',
        data: { field: 'content' },
      });
      await expect(
        importRows(store, tenant, { rows: [guideline(), document({}, ['fine', 'a\u0000'])] }),
      ).rejects.toMatchObject({ code: 'text_refused', data: { field: 'chunks[1].content' } });
      expect(await read(store, scope(tenant), (reader) => reader.guidelines())).toEqual([]);
    });
  });

  describe('versions', () => {
    const all: readonly [string, () => NewVersionedRow][] = [
      ['guideline', () => guideline()],
      ['toolbox', () => tool()],
      ['entity', () => entity()],
      ['workflow', () => workflow()],
      ['document', () => document({ sourceUri: 'uri' })],
    ];

    it.each(all)('[D1] the database holds one active %s for a key', async (_, make) => {
      const tenant = newTenant();
      await importRows(given().store, tenant, { rows: [make()] });
      await expect(importRows(given().store, tenant, { rows: [make()] })).rejects.toMatchObject({
        code: 'version_conflict',
      });
      const own = { ...make(), userId: userId('jane') };
      expect(await importRows(given().store, tenant, { rows: [own] })).toEqual({ inserted: 1, unchanged: 0 });
    });

    it('[D1] a key has one active persona, and entities of other conditions stand beside each other', async () => {
      const tenant = newTenant();
      await importRows(given().store, tenant, { rows: [persona()] });
      await expect(importRows(given().store, tenant, { rows: [persona()] })).rejects.toMatchObject({
        code: 'version_conflict',
      });
      const rows = [entity(), entity({ conditions: { a: 1, b: 2 } }), entity({ conditions: { a: 2 } })];
      expect(await importRows(given().store, tenant, { rows })).toEqual({ inserted: 3, unchanged: 0 });
      for (const conditions of [{ b: 2, a: 1 }, {}]) {
        await expect(importRows(given().store, tenant, { rows: [entity({ conditions })] })).rejects.toMatchObject({
          code: 'version_conflict',
        });
      }
    });

    it.each(all)('[D2] a %s is retired and followed by the next version, without a gap in time', async (type, make) => {
      const tenant = newTenant();
      const first = make();
      const second = { ...make(), id: newId(), validFrom: null };
      const refs = await operate(given().store, tenant, async (writer) => [
        await writer.putVersion(first, 0, []),
        await writer.putVersion(second, 1, []),
      ]);
      expect(refs).toEqual([
        [type, first.id, 1],
        [type, second.id, 2],
      ]);
      const [old, now] = await read(given().store, scope(tenant), async (reader) => {
        const versions = new Map((await reader.versions(refs)).map((row) => [row.ref[1], row.lifecycle]));
        return [versions.get(first.id)!, versions.get(second.id)!];
      });
      expect(old).toMatchObject({ supersededBy: second.id, validUntil: now?.validFrom });
      expect(now).toMatchObject({ supersededBy: null, validUntil: null });
    });

    it('[D2] of two updates at once exactly one wins, and the loser has written nothing', async () => {
      const { store } = given();
      const tenant = newTenant();
      const own = { userId: userId('jane') };
      await write(store, scope(tenant), (writer) => writer.putVersion(entity(own), 0, []));
      const attempts = ['left', 'right'].map((content) => entity({ ...own, content, validFrom: null }));
      const results = await Promise.allSettled(
        attempts.map((row) =>
          write(store, scope(tenant), async (writer) => {
            await writer.appendEvent(event({ eventType: 'feedback', payload: { content: row.content } }));
            return await writer.putVersion(row, 1, [entry(['entity', row.id, 2], row.content)]);
          }),
        ),
      );
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const lost = results.find((result) => result.status === 'rejected');
      expect(lost?.reason).toMatchObject({ code: 'version_conflict' });
      await read(store, scope(tenant), async (reader) => {
        const current = await reader.entitiesOf(['helios'], null);
        expect(current.map((row) => row.ref[2])).toEqual([2]);
        expect(await reader.recentEvents(['feedback'], 10)).toHaveLength(1);
        const search = { kinds: ['entity'], collections: null, exclude: [], limit: 10 } as const;
        const { hits } = await reader.searchLexical(['left', 'right'], search);
        expect(ids(hits)).toEqual(ids(current));
      });
    });

    it('[D2] an unexpected version, a missing row and a used id are conflicts', async () => {
      const { store } = given();
      const tenant = newTenant();
      const first = entity();
      const put = (row: NewVersionedRow, expected: number) =>
        operate(store, tenant, (writer) => writer.putVersion(row, expected, []));
      await expect(put(entity(), 1)).rejects.toMatchObject({ code: 'version_conflict' });
      await put(first, 0);
      await expect(put(entity(), 0)).rejects.toMatchObject({ code: 'version_conflict' });
      await expect(put(entity(), 2)).rejects.toMatchObject({ code: 'version_conflict' });
      await expect(put({ ...entity(), id: first.id }, 1)).rejects.toMatchObject({ code: 'version_conflict' });
    });

    it('[D2] versions count on within a key after its last row was retired', async () => {
      const tenant = newTenant();
      const gone = entity({ version: 4, validUntil: instant('2026-03-01T00:00:00Z') });
      await importRows(given().store, tenant, { rows: [gone] });
      const row = entity({ validFrom: null });
      const ref = await operate(given().store, tenant, (writer) =>
        writer.putVersion(row, 0, [entry(['entity', row.id, 1], row.content)]),
      );
      expect(ref).toEqual(['entity', row.id, 5]);
      const { hits } = await read(given().store, scope(tenant), (reader) =>
        reader.searchLexical(['helios'], { kinds: ['entity'], collections: null, exclude: [], limit: 5 }),
      );
      expect(hits.map(({ ref: found }) => found)).toEqual([ref]);
    });

    it('[Q8] documents are listed by what their address begins with, and retired with their passages', async () => {
      const { store } = given();
      const tenant = newTenant();
      const written = ['a/1', 'a/2', 'a%', 'b/1'].map((sourceUri) =>
        document({ sourceUri }, [`Text of ${sourceUri}.`]),
      );
      const [first] = written;
      if (first === undefined) throw new Error('there is a first document');
      await operate(store, tenant, async (writer) => {
        for (const row of written) await writer.putVersion(row, 0, []);
      });
      const { collection, writtenBy } = first;
      const list = async (asked: object, as = tenant) =>
        operate(store, as, (writer) =>
          writer.documentsUnder({ agentId: null, collection, writtenBy, prefix: 'a/', after: '', limit: 9, ...asked }),
        );
      expect(await list({})).toEqual(['a/1', 'a/2']);
      expect(await list({ limit: 1, after: 'a/1' })).toEqual(['a/2']);
      expect(await list({ prefix: 'a%' })).toEqual(['a%']);
      for (const other of [{ collection: 'other' }, { writtenBy: 'other' }, { agentId: agentId('helper') }]) {
        expect(await list(other)).toEqual([]);
      }
      expect(await list({}, newTenant())).toEqual([]);
      const retire = async (as = tenant) => operate(store, as, (writer) => writer.retireDocument(first));
      expect(await retire(newTenant())).toBeNull();
      expect(await retire()).toEqual(['document', first.id, 1]);
      expect(await retire()).toBeNull();
      expect(await list({})).toEqual(['a/2']);
      const chunk = first.chunks[0]?.id ?? first.id;
      const [left] = await read(store, scope(tenant), (reader) => reader.memories([['chunk', chunk, 1]]));
      expect(left?.lifecycle).toMatchObject({ validUntil: expect.any(String), supersededBy: null });
    });

    it('[D2] a new version of a document brings new chunks, and the old ones end with it', async () => {
      const { store } = given();
      const tenant = newTenant();
      const first = document({ sourceUri: 'uri' }, ['Old one.', 'Old two.']);
      const second = document({ sourceUri: 'uri', validFrom: null }, ['New.']);
      await operate(store, tenant, async (writer) => {
        await writer.putVersion(first, 0, []);
        await writer.putVersion(second, 1, []);
      });
      const chunks = await read(store, scope(tenant), (reader) =>
        reader.memories([...first.chunks, ...second.chunks].map((chunk) => ['chunk', chunk.id, 1] as const)),
      );
      const told = chunks.map((row) =>
        row.type === 'chunk' ? [row.content, row.documentVersion, row.lifecycle.validUntil === null] : [],
      );
      expect(told).toEqual([
        ['Old one.', 1, false],
        ['Old two.', 1, false],
        ['New.', 2, true],
      ]);
    });

    it('[N2] an end user writes only rows of their own', async () => {
      const { store } = given();
      const tenant = newTenant();
      for (const owner of [null, userId('sam')]) {
        await expect(
          write(store, scope(tenant), (writer) => writer.putVersion(entity({ userId: owner }), 0, [])),
        ).rejects.toMatchObject({ code: 'scope_violation' });
      }
      const own = entity({ userId: userId('jane') });
      expect(await write(store, scope(tenant), (writer) => writer.putVersion(own, 0, []))).toEqual([
        'entity',
        own.id,
        1,
      ]);
    });

    it('activeVersion says whether anything would change, whatever the ids, times and counts', async () => {
      const { store } = given();
      const tenant = newTenant();
      const rows = [
        guideline({ value: { b: 1, a: [1.5, null] } }),
        tool(),
        entity({ aliases: ['x'] }),
        workflow(),
        persona(),
      ];
      await importRows(store, tenant, { rows });
      const paper = document({ sourceUri: 'uri' });
      await importRows(store, tenant, { rows: [paper] });
      await operate(store, tenant, async (writer) => {
        const [rule, named, fact, way, trait] = rows as [
          ReturnType<typeof guideline>,
          ReturnType<typeof tool>,
          ReturnType<typeof entity>,
          ReturnType<typeof workflow>,
          ReturnType<typeof persona>,
        ];
        const other = { id: newId(), writtenBy: 'other', validFrom: null };
        const same = [rule, named, fact, { ...way, successCount: 9 }, trait, paper];
        for (const row of same) {
          expect(await writer.activeVersion({ ...row, ...other })).toEqual({ ref: [row.type, row.id, 1], same: true });
        }
        const changed = [
          { ...rule, value: { b: 1, a: [1.5] } },
          { ...named, usageNotes: 'Other.' },
          { ...fact, value: 0.78 },
          { ...way, steps: ['Look.'] },
          { ...trait, value: 'nurse' },
          { ...paper, contentHash: 'h2' },
        ];
        for (const row of changed) expect(await writer.activeVersion(row)).toMatchObject({ same: false });
        expect(await writer.activeVersion(guideline({ key: 'none' }))).toBeNull();
        expect(await writer.activeVersion({ ...rule, userId: userId('jane') })).toBeNull();
      });
    });

    it('a persona is replaced in place of its active row', async () => {
      const { store } = given();
      const tenant = newTenant();
      const first = persona();
      const second = persona({ value: 'nurse', validFrom: null });
      const refs = await operate(store, tenant, async (writer) => [
        await writer.putPersona(first),
        await writer.putPersona(second),
      ]);
      expect(refs).toEqual([
        ['persona', first.id, 1],
        ['persona', second.id, 1],
      ]);
      const current = await read(store, scope(tenant), (reader) => reader.personas());
      expect(current.map((row) => row.value)).toEqual(['nurse']);
    });
  });

  describe('bounds and failures', () => {
    it('[N8] a call that is over its deadline or cancelled ends, and the next one goes on', async () => {
      const { store } = given();
      const tenant = newTenant();
      const late = store.write(scope(tenant), { ...options(), deadlineMs: 30 }, async (writer) => {
        await writer.appendEvent(event());
        await new Promise((resolve) => setTimeout(resolve, 60));
        await writer.appendEvent(event());
      });
      await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' });
      const controller = new AbortController();
      const cancelled = store.write(scope(tenant), { ...options(), signal: controller.signal }, async (writer) => {
        await writer.appendEvent(event());
        controller.abort();
      });
      await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
      const next = await write(store, scope(tenant), (writer) => writer.appendEvent(event()));
      expect(next.turnIndex).toBe(1);
    });

    it('[N8] a failure that the caller swallows is still the end of its transaction', async () => {
      const { store } = given();
      const tenant = newTenant();
      const said = event();
      await write(store, scope(tenant), (writer) => writer.appendEvent(said));
      const swallowed = write(store, scope(tenant), async (writer) => {
        await writer.appendEvent(event({ eventType: 'feedback' }));
        await writer.appendEvent(said).catch(() => {});
        return 'done';
      });
      await expect(swallowed).rejects.toMatchObject({ code: 'version_conflict' });
      expect(await read(store, scope(tenant), (reader) => reader.recentEvents(['feedback'], 5))).toEqual([]);
    });

    it('tells a caller a code and a plain sentence; what the database said is for the log', async () => {
      const { store, problems } = given();
      const said = event({ payload: { text: 'private words' } });
      const tenant = newTenant();
      await write(store, scope(tenant), (writer) => writer.appendEvent(said));
      const failure: MemoryError = await write(store, scope(tenant), (writer) => writer.appendEvent(said)).then(
        () => Promise.reject(new Error('should fail')),
        (error: MemoryError) => error,
      );
      expect(`${failure.message} ${JSON.stringify(failure.data)}`).not.toMatch(
        /memory\.|conversation|select|insert|key/i,
      );
      const told = problems.filter(({ detail }) => detail['code'] === 'version_conflict');
      expect(told.at(-1)?.detail).toMatchObject({ table: 'conversation_memory', code: 'version_conflict' });
      expect(JSON.stringify(problems)).not.toContain('private words');
    });

    it('tells listeners of changed tools after the commit, with the tenant alone, until they stop', async () => {
      const { store, toldWithinMs = 50 } = given();
      const tenant = newTenant();
      const heard: (string | null)[] = [];
      const stop = store.watchToolbox((name) => heard.push(name));
      const settled = () => new Promise((resolve) => setTimeout(resolve, toldWithinMs));
      await store.operate(operator(tenant), options(), async (writer) => {
        await writer.putVersion(tool(), 0, []);
        await settled();
        expect(heard).toEqual([]);
      });
      await settled();
      expect(heard).toEqual([tenant]);
      await importRows(store, newTenant(), { rows: [guideline()] });
      await expect(
        store.operate(operator(newTenant()), options(), async (writer) => {
          await writer.putVersion(tool(), 0, []);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow();
      await settled();
      expect(heard).toEqual([tenant]);
      stop();
      await importRows(store, newTenant(), { rows: [tool()] });
      await settled();
      expect(heard).toEqual([tenant]);
    });

    it('knows whether a tenant ever had a tool, counts rows, and refuses to quarantine what is not there', async () => {
      const { store } = given();
      const tenant = newTenant();
      expect(await operate(store, tenant, (writer) => writer.hasToolbox())).toBe(false);
      await importRows(store, tenant, { rows: [tool(), turn({ agentId: agentId('a'), threadId: threadId('t') })] });
      await importRows(store, newTenant(), { rows: [tool()] });
      expect(await operate(store, tenant, (writer) => writer.hasToolbox())).toBe(true);
      const counts = await operate(store, tenant, (writer) => writer.countRows());
      expect([counts.get('toolbox_memory'), counts.get('conversation_memory'), counts.get('memory_link')]).toEqual([
        1, 1, 0,
      ]);
      await expect(
        operate(store, tenant, (writer) => writer.quarantine(['entity', rowId('nowhere'), 1], 'x')),
      ).rejects.toMatchObject({ code: 'not_found' });
    });
  });
}
