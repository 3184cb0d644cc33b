// Runs of the loop and what they leave in the database, so that any process can go on with them (design L1–L3, M1).

import { expect, it } from 'vitest';
import { citationId, rowId, runId } from '../../src/model/ids.ts';
import type { RowId } from '../../src/model/ids.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { ChatRequest } from '../../src/model/window.ts';
import type { OpenedStore } from './harness.ts';
import { event, newId, newTenant, read, run, scope, write } from './harness.ts';

const request = (question: string): ChatRequest => ({ messages: [{ role: 'user', content: question }], tools: [] });

const manifestEvent = (id: RowId, ofRun: string, kind: 'window' | 'tool_result', round: number) =>
  event({
    eventId: id,
    eventType: 'context_manifest',
    role: 'system',
    runId: runId(ofRun),
    payload: {
      manifest: { manifest_id: id, kind, run_id: ofRun, round, memories: [], excluded: [], totals: { left: 5 } },
    },
  });

const requestEvent = (manifest: RowId, ofRun: string, value: ChatRequest) =>
  event({
    eventType: 'request',
    role: 'system',
    runId: runId(ofRun),
    payload: { manifest_id: manifest, request: value } as unknown as JsonObject,
  });

export function contractOfRuns(given: () => OpenedStore): void {
  it('[L1,L2] a scope has one current run, the last one opened; it is spent round by round', async () => {
    const { store } = given();
    const tenant = newTenant();
    const current = (as = scope(tenant)) => read(store, as, (reader) => reader.currentRun());
    expect(await current()).toBeNull();
    const first = run();
    const second = run();
    await write(store, scope(tenant), async (writer) => {
      await writer.openRun(first);
      await writer.openRun({ ...second, kind: 'implicit' });
      await writer.spendRound(second.runId, { tokens: 120, roundsUsedBefore: 0 });
    });
    expect(await current()).toEqual({
      ...second,
      kind: 'implicit',
      roundsUsed: 1,
      tokensLeft: 880,
      idleFor: 0,
    });
    for (const stranger of [
      scope(tenant, 'sam'),
      scope(tenant, 'jane', { thread: 'other' }),
      scope(tenant, 'jane', { agent: 'helper' }),
      scope(newTenant()),
    ]) {
      expect(await current(stranger)).toBeNull();
    }
  });

  it('[L2] a run that a call opens is spent by it: one round and its tokens', async () => {
    const { store } = given();
    const tenant = newTenant();
    const opened = run();
    await write(store, scope(tenant), (writer) => writer.openRun(opened, 120));
    const current = await read(store, scope(tenant), (reader) => reader.currentRun());
    expect(current).toEqual({ ...opened, roundsUsed: 1, tokensLeft: 880, idleFor: 0 });
    await write(store, scope(tenant), (writer) => writer.spendRound(opened.runId, { tokens: 80, roundsUsedBefore: 1 }));
    const next = await read(store, scope(tenant), (reader) => reader.currentRun());
    expect(next).toMatchObject({ toolReserve: 1000, roundsUsed: 2, tokensLeft: 800 });
  });

  it('[L1] of two calls that saw the same round, the second one conflicts', async () => {
    const { store } = given();
    const tenant = newTenant();
    const opened = run();
    await write(store, scope(tenant), (writer) => writer.openRun(opened));
    const spend = () =>
      write(store, scope(tenant), async (writer) => {
        await writer.lockRun();
        await writer.spendRound(opened.runId, { tokens: 10, roundsUsedBefore: 0 });
      });
    const results = await Promise.allSettled([spend(), spend()]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const left = await write(store, scope(tenant), (writer) => writer.lockRun());
    expect(left).toMatchObject({ roundsUsed: 1, tokensLeft: 990 });
    await expect(
      write(store, scope(tenant, 'sam'), (writer) =>
        writer.spendRound(opened.runId, { tokens: 1, roundsUsedBefore: 1 }),
      ),
    ).rejects.toMatchObject({ code: 'version_conflict' });
  });

  it('[L2] locking where no run is gives null, and disturbs no numbering of turns', async () => {
    const { store } = given();
    const tenant = newTenant();
    expect(await write(store, scope(tenant), (writer) => writer.lockRun())).toBeNull();
    const said = await write(store, scope(tenant), (writer) => writer.appendEvent(event()));
    expect(said.turnIndex).toBe(1);
  });

  it('[L3] an id is known in the run that issued it, to its owner alone', async () => {
    const { store } = given();
    const tenant = newTenant();
    const opened = run();
    const id = citationId('B00000000aa');
    const ref = ['chunk', rowId('chunk_1'), 1] as const;
    await write(store, scope(tenant), async (writer) => {
      await writer.openRun(opened);
      await writer.issue(opened.runId, [{ citationId: id, ref }]);
      await writer.issue(opened.runId, [{ citationId: id, ref }]);
      await writer.issue(opened.runId, []);
    });
    const issued = (as = scope(tenant), of = opened.runId) => read(store, as, (reader) => reader.issuedIn(of, id));
    expect(await issued()).toEqual(ref);
    expect(await issued(scope(tenant), run().runId)).toBeNull();
    expect(await issued(scope(tenant, 'sam'))).toBeNull();
    expect(await issued(scope(tenant, 'jane', { agent: 'helper' }))).toBeNull();
    // Nobody can put ids into another one's run.
    await write(store, scope(tenant, 'sam'), (writer) =>
      writer.issue(opened.runId, [{ citationId: citationId('B00000000bb'), ref }]),
    );
    expect(
      await read(store, scope(tenant), (reader) => reader.issuedIn(opened.runId, citationId('B00000000bb'))),
    ).toBeNull();
  });

  it('[L1] the transcript has the window’s request and every call that has a result, in order', async () => {
    const { store } = given();
    const tenant = newTenant();
    const opened = run();
    const window = newId('manifest');
    const result = newId('manifest');
    const call = (id: string | null, args: JsonObject | null) =>
      event({
        eventType: 'tool_call',
        runId: opened.runId,
        payload: { call_id: id, tool: 'search_memory', arguments: args },
      });
    const answer = (id: string, text: string) =>
      event({ eventType: 'tool_result', runId: opened.runId, payload: { call_id: id, tool: 'search_memory', text } });
    await write(store, scope(tenant), async (writer) => {
      await writer.openRun(opened);
      await writer.appendEvent(manifestEvent(window, opened.runId, 'window', 0));
      await writer.appendEvent(requestEvent(window, opened.runId, request('Which?')));
      await writer.appendEvent(call('call_1', { query: 'x', limit: 2 }));
      await writer.appendEvent(answer('call_1', 'first'));
      await writer.appendEvent(manifestEvent(result, opened.runId, 'tool_result', 1));
      await writer.appendEvent(requestEvent(result, opened.runId, request('longer')));
      await writer.appendEvent(call(null, null));
      await writer.appendEvent(call('call_2', { query: 'y' }));
      await writer.appendEvent(answer('call_2', 'second'));
    });
    const transcript = (as = scope(tenant)) => read(store, as, (reader) => reader.transcript(opened.runId));
    expect(await transcript()).toEqual({
      initial: request('Which?'),
      calls: [
        { callId: 'call_1', tool: 'search_memory', arguments: '{"limit":2,"query":"x"}', result: 'first' },
        { callId: 'call_2', tool: 'search_memory', arguments: '{"query":"y"}', result: 'second' },
      ],
    });
    expect(await transcript(scope(tenant, 'sam'))).toEqual({ initial: null, calls: [] });
  });

  it('[L2] the transcript of an implicit run has no first request', async () => {
    const { store } = given();
    const tenant = newTenant();
    const opened = run();
    const result = newId('manifest');
    await write(store, scope(tenant), async (writer) => {
      await writer.appendEvent(manifestEvent(result, opened.runId, 'tool_result', 1));
      await writer.appendEvent(requestEvent(result, opened.runId, request('x')));
    });
    expect((await read(store, scope(tenant), (reader) => reader.transcript(opened.runId))).initial).toBeNull();
  });

  it('[M1] manifests are found by id, by run and by time, with their requests, by their own principal', async () => {
    const { store } = given();
    const tenant = newTenant();
    const opened = run();
    const [first, second, lonely] = [newId('manifest'), newId('manifest'), newId('manifest')];
    await write(store, scope(tenant), async (writer) => {
      await writer.appendEvent(manifestEvent(second, opened.runId, 'tool_result', 1));
      await writer.appendEvent(manifestEvent(first, opened.runId, 'window', 0));
      await writer.appendEvent(requestEvent(first, opened.runId, request('Which?')));
    });
    await write(store, scope(tenant, 'jane', { thread: 'other' }), (writer) =>
      writer.appendEvent(manifestEvent(lonely, run().runId, 'window', 0)),
    );
    await read(store, scope(tenant), async (reader) => {
      const found = await reader.manifest(first);
      expect(found).toMatchObject({
        manifest: { manifest_id: first, totals: { left: 5 } },
        request: request('Which?'),
      });
      expect(found?.createdAt).toMatch(/Z$/);
      expect((await reader.manifest(lonely))?.request).toBeNull();
      expect(await reader.manifest(rowId('nowhere'))).toBeNull();
      const ofRun = await reader.manifestsOfRun(opened.runId);
      expect(ofRun.map(({ manifest }) => manifest.manifest_id)).toEqual([first, second]);
      const recent = await reader.recentManifests(2);
      expect(recent.map(({ manifest }) => manifest.manifest_id)).toEqual([lonely, first]);
      expect(await reader.recentManifests(0)).toEqual([]);
    });
    for (const stranger of [scope(tenant, 'sam'), scope(newTenant()), scope(tenant, 'jane', { agent: 'helper' })]) {
      await read(store, stranger, async (reader) => {
        expect(await reader.manifest(first)).toBeNull();
        expect(await reader.manifestsOfRun(opened.runId)).toEqual([]);
        expect(await reader.recentManifests(5)).toEqual([]);
      });
    }
  });

  it('[K1,N2] feedback on a manifest is found newest first, from any thread, by its own principal', async () => {
    const { store } = given();
    const tenant = newTenant();
    const manifest = newId('manifest');
    const feedback = (answer: string, on = manifest) =>
      event({ eventType: 'feedback', payload: { manifest_id: on, answer } });
    await write(store, scope(tenant), (writer) => writer.appendEvent(feedback('first')));
    await write(store, scope(tenant, 'jane', { thread: 'other' }), async (writer) => {
      await writer.appendEvent(feedback('second'));
      await writer.appendEvent(feedback('of another', newId('manifest')));
    });
    const found = await read(store, scope(tenant), (reader) => reader.feedbackOn(manifest));
    expect(found.map(({ payload }) => payload['answer'])).toEqual(['second', 'first']);
    for (const stranger of [scope(tenant, 'sam'), scope(newTenant()), scope(tenant, 'jane', { agent: 'helper' })]) {
      expect(await read(store, stranger, (reader) => reader.feedbackOn(manifest))).toEqual([]);
    }
  });
}
