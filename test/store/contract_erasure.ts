// Erasure and retention (design E1, N4): what goes with what was named, what stays, and who may ask for it.

import { beforeAll, expect, it } from 'vitest';
import { agentId, citationId, rowId, threadId, userId } from '../../src/model/ids.ts';
import type { Ref } from '../../src/model/memory.ts';
import { instant } from '../../src/model/time.ts';
import type { ErasureReport, ErasureTarget } from '../../src/store/erasure.ts';
import { rowsIn } from '../../src/store/erasure.ts';
import type { SearchFilter } from '../../src/store/search_values.ts';
import { dump, missingFrom, tableNames } from './dump.ts';
import type { OpenedStore, RawSession } from './harness.ts';
import {
  document,
  entity,
  entry,
  event,
  guideline,
  hash,
  importRows,
  newId,
  newTenant,
  operate,
  operator,
  options,
  persona,
  presentTransaction,
  rawOf,
  read,
  run,
  scope,
  summary,
  tool,
  turn,
  workflow,
  write,
} from './harness.ts';

const jane = userId('jane');
const manifestOf = (id: string) => ({ manifest: { manifest_id: id, kind: 'window', round: 0 } });

const everything: SearchFilter = { kinds: ['conversation'], collections: null, exclude: [], limit: 9 };

/** Tenant-wide, of nobody: what an erasure says of itself, and what history says of its own end. */
const ofTheErasure = ['deletion_events', 'history_horizon', 'history_mark'];

/** A window of a user that was made of these rows, with its retrieval, request, run and issued ids. */
async function window(
  { store }: OpenedStore,
  tenant: string,
  as: { readonly user: string; readonly thread?: string },
  sources: readonly Ref[],
): Promise<{ readonly manifestId: string; readonly runId: string }> {
  const manifestId = newId('manifest');
  const opened = run();
  const of = (eventType: 'retrieval' | 'context_manifest' | 'request', payload: object) =>
    event({
      eventId: eventType === 'context_manifest' ? manifestId : newId('event'),
      eventType,
      role: 'system',
      runId: opened.runId,
      payload: JSON.parse(JSON.stringify(payload)),
    });
  const own = scope(tenant, as.user, as.thread === undefined ? {} : { thread: as.thread });
  await write(store, own, async (writer) => {
    await writer.openRun(opened);
    await writer.appendEvent(of('retrieval', { manifest_id: manifestId }));
    await writer.requireSources(sources);
    await writer.appendEvent(of('context_manifest', manifestOf(manifestId)));
    await writer.appendEvent(of('request', { manifest_id: manifestId, request: { text: 'what it showed' } }));
    await writer.addProvenance(
      sources.map((source) => ({ derived: ['conversation', manifestId, 1], source, relation: 'used_in_window' })),
    );
    const [first] = sources;
    if (first !== undefined) await writer.issue(opened.runId, [{ citationId: citationId('B00000000aa'), ref: first }]);
  });
  return { manifestId, runId: opened.runId };
}

export function contractOfErasure(given: () => OpenedStore): void {
  const raw = (): RawSession => rawOf(given());
  const erase = (tenant: string, target: ErasureTarget, dryRun = false): Promise<ErasureReport> =>
    given().store.erase(operator(tenant), { ...options(), dryRun }, target);
  const eventRow = async (tenant: string, id: string) =>
    (
      await raw().query(
        { role: null },
        `select event_type, user_id, agent_id, thread_id, run_id, turn_index, payload from memory.conversation_memory
         where tenant_id = $1 and (event_id = $2 or payload ->> 'event_id' = $2)`,
        [tenant, id],
      )
    )[0];

  /** Erases, after a dry run that must say the same; what is left is compared with before. */
  async function erased(tenant: string, target: ErasureTarget) {
    const before = await dump(raw());
    const preview = await erase(tenant, target, true);
    expect(missingFrom(before, await dump(raw()))).toEqual({});
    const report = await erase(tenant, target);
    expect({ ...report, filesRewritten: false }).toEqual(preview);
    const after = await dump(raw());
    const gone = missingFrom(before, after);
    const counted = Object.fromEntries(Object.entries(gone).map(([name, rows]) => [name, rows.length]));
    // A stone that forgets its owner is another row than before.
    const expected: Record<string, number> = { ...report.tables };
    expected['conversation_memory'] = (expected['conversation_memory'] ?? 0) + report.ownersForgotten;
    expect(counted).toEqual(Object.fromEntries(Object.entries(expected).filter(([, count]) => count > 0)));
    // What is new is what an erasure leaves of itself.
    const added = missingFrom(after, before);
    expect((added['deletion_events'] ?? []).length).toBe(rowsIn(report.tables) === 0 ? 0 : 1);
    expect((added['conversation_memory'] ?? []).length).toBe(report.tombstones + report.ownersForgotten);
    expect(Object.keys(added).filter((name) => !['deletion_events', 'conversation_memory'].includes(name))).toEqual([]);
    const again = await erase(tenant, target);
    expect({ rows: rowsIn(again.tables), tombstones: again.tombstones }).toEqual({ rows: 0, tombstones: 0 });
    expect(missingFrom(await dump(raw()), after)).toEqual({});
    return { report, gone: (name: string) => (gone[name] ?? []).join('\n'), after };
  }

  it('[E1] every table of a tenant is reached, but for what an erasure leaves of itself', async () => {
    const { tables } = await erase(newTenant(), { kind: 'tenant' }, true);
    const known = [...Object.keys(tables), ...ofTheErasure, 'schema_version', 'store_setting'].toSorted();
    expect(known).toEqual([...(await tableNames(raw()))].toSorted());
  });

  it('[E1] a user goes with all that came of them, far and whose ever, and all else stays byte for byte', async () => {
    const opened = given();
    const tenant = newTenant();
    const own = { userId: jane };
    const said = turn({ text: 'Jane said it.' });
    const learned = entity({ subject: 'learned', sourceEventId: said.id });
    const retold = summary({ userId: userId('sam') });
    const other = turn({ userId: userId('sam'), text: 'Sam said it.' });
    const shared = entity({ subject: 'shared' });
    const paper = document(own, ['A passage of Jane.']);
    const rows = [said, learned, retold, other, shared, paper, guideline(own), persona(own), tool(own), workflow(own)];
    await importRows(opened.store, tenant, {
      rows,
      provenance: [{ derived: ['summary', retold.id, 1], source: ['entity', learned.id, 1], relation: 'supports' }],
      links: [{ source: ['entity', shared.id, 1], target: ['entity', learned.id, 1], relation: 'contradicts' }],
      index: [entry(['entity', learned.id, 1], learned.content, { names: ['learned'], vector: [1, 0, 0, 0] })],
    });
    const text = shared.content;
    await write(opened.store, scope(tenant), async (writer) => {
      await writer.putTokenCounts([
        {
          ref: ['entity', shared.id, 1],
          contentHash: hash(text),
          tokens: { full: 9 },
          rendererVersion: '1',
          encoding: 'e',
        },
      ]);
    });
    const hers = await window(opened, tenant, { user: 'jane' }, [['entity', shared.id, 1]]);
    const his = await window(opened, tenant, { user: 'sam' }, [['summary', retold.id, 1]]);
    const untouched = await window(opened, tenant, { user: 'sam' }, [['entity', shared.id, 1]]);
    const { report, gone } = await erased(tenant, { kind: 'user', userId: jane });
    expect(gone('conversation_memory')).toContain(said.id);
    expect(gone('entity_memory')).toContain(learned.id);
    expect(gone('entity_memory')).not.toContain(shared.id);
    expect(gone('summarization_memory')).toContain(retold.id);
    expect(gone('conversation_memory')).not.toContain(untouched.manifestId);
    expect(report.tables).toMatchObject({
      token_count: 1,
      memory_link: 1,
      memory_vector: 1,
      context_run: 2,
      thread: 1,
    });
    expect(await eventRow(tenant, hers.manifestId)).toEqual({
      event_type: 'tombstone',
      user_id: null,
      agent_id: null,
      thread_id: null,
      run_id: null,
      turn_index: null,
      payload: { erased_type: 'context_manifest', event_id: hers.manifestId, manifest_id: hers.manifestId },
    });
    expect(await eventRow(tenant, his.manifestId)).toMatchObject({ event_type: 'tombstone', user_id: 'sam' });
    expect(await eventRow(tenant, other.id)).toMatchObject({ event_type: 'user_msg' });
    // Nobody but the operator can still ask for the first; its owner can ask for the second.
    const seen = async (as: Parameters<RawSession['query']>[0], id: string) =>
      (await raw().query(as, 'select 1 from memory.conversation_memory where manifest_id = $1', [id])).length;
    for (const user of ['jane', 'sam']) expect(await seen({ role: 'mem_app', tenant, user }, hers.manifestId)).toBe(0);
    expect(await seen({ role: 'mem_operator', tenant }, hers.manifestId)).toBe(1);
    expect(await seen({ role: 'mem_app', tenant, user: 'sam' }, his.manifestId)).toBe(1);
  });

  it('[E1] a thread goes without the same name of another user or agent, and its count begins anew', async () => {
    const { store } = given();
    const tenant = newTenant();
    const plan = { threadId: threadId('plan') };
    const helper = turn({ ...plan, agentId: agentId('helper') });
    const mine = turn(plan);
    const rows = [mine, helper, turn({ ...plan, userId: userId('sam') }), turn()];
    await importRows(store, tenant, { rows });
    const one = { kind: 'thread', userId: jane, threadId: threadId('plan') } as const;
    const { report, gone } = await erased(tenant, { ...one, agentId: agentId('helper') });
    expect(report.tables).toMatchObject({ conversation_memory: 1, thread: 1 });
    expect(report.tombstones).toBe(0);
    expect(gone('conversation_memory')).toContain(helper.id);
    const rest = await erased(tenant, { ...one, agentId: null });
    expect(rest.report.tables).toMatchObject({ conversation_memory: 1, thread: 1 });
    const next = await write(store, scope(tenant, 'jane', { thread: 'plan' }), (writer) => writer.appendEvent(event()));
    expect(next.turnIndex).toBe(1);
  });

  it('[E1] an event goes with what came of it; its thread goes on, and the hole in it has a name', async () => {
    const { store } = given();
    const tenant = newTenant();
    const [first, second] = [turn(), turn()];
    await importRows(store, tenant, { rows: [first, second] });
    const { report } = await erased(tenant, { kind: 'event', id: first.id });
    expect(report.tables).toMatchObject({ conversation_memory: 1, thread: 0 });
    expect(await eventRow(tenant, first.id)).toMatchObject({
      event_type: 'tombstone',
      user_id: 'jane',
      thread_id: 'main',
      payload: { erased_type: 'user_msg', event_id: first.id, turn_index: 1 },
    });
    const tail = await read(store, scope(tenant), (reader) => reader.tail(5));
    expect(tail.map(({ turnIndex }) => turnIndex)).toEqual([2]);
    // The user goes later: the stone forgets whose it was.
    const later = await erased(tenant, { kind: 'user', userId: jane });
    expect(later.report.ownersForgotten).toBe(1);
    expect(await eventRow(tenant, first.id)).toMatchObject({ event_type: 'tombstone', user_id: null, thread_id: null });
  });

  it('[E1,Q2,D6] a turn that stays keeps no word of an erased neighbour in its index, by whatever embedder', async () => {
    const { store } = given();
    const tenant = newTenant();
    const texts = ['one', 'two', 'three', 'four'];
    const rows = texts.map((text) => turn({ text: `Said ${text}.` }));
    const entries = rows.map((row, place) => {
      const made = entry(['conversation', row.id, 1], row.text, { vector: [1, place, 0, 0] });
      const around = texts.filter((_, other) => Math.abs(other - place) === 1);
      const terms = new Map([...made.terms, ...around.map((text) => [text, [0, 0, 0, 1]] as const)]);
      const context = { part: 'context', vector: Float32Array.from([1, 0, 1, 1]) } as const;
      const lengths = [made.lengths[0], 0, made.lengths[2], around.length] as const;
      return { ...made, terms, lengths, vectors: [...made.vectors, context] };
    });
    await importRows(store, tenant, { rows, index: entries });
    // Another embedder is half-way; it knows nothing in the third turn's own words.
    const refs = entries.map(({ ref }) => ref);
    const placed = entries.map((made, place) => {
      const own = { part: 'text', vector: Float32Array.from([1, place]) } as const;
      const around = { part: 'context', vector: Float32Array.from([3, 4]) } as const;
      const vectors = place === 2 ? [around] : [own, around];
      const [before, after] = [refs.slice(Math.max(0, place - 2), place), refs.slice(place + 1, place + 3)];
      return { entry: { ...made, vectors }, before, after };
    });
    const other = { reach: 2, unreadable: [], embedder: { id: 'other', dimensions: 2 } };
    expect(await operate(store, tenant, (writer) => writer.putVectors(placed, other))).toBe(4);
    const two = rows[1]!;
    const before = await dump(raw(), tenant);
    const preview = await erase(tenant, { kind: 'event', id: two.id }, true);
    expect(missingFrom(before, await dump(raw(), tenant))).toEqual({});
    const report = await erase(tenant, { kind: 'event', id: two.id });
    expect({ ...report, filesRewritten: false }).toEqual(preview);
    expect(report.neighbours).toBe(3);
    expect(report.tables).toMatchObject({ memory_vector: 4, memory_sign: 4 });
    const after = await dump(raw(), tenant);
    expect(after.get('memory_term')?.filter((row) => row.includes('two'))).toEqual([]);
    expect(after.get('memory_term')).toHaveLength(3);
    const alone = await raw().query(
      { role: null },
      `select own.vector = around.vector as same from memory.memory_vector own
       join memory.memory_vector around using (tenant_id, kind, id, embedder)
       where own.part = 'text' and around.part = 'context' and tenant_id = $1`,
      [tenant],
    );
    // Three of the first embedder, and two of the other: what it knew by the neighbours alone is gone with them.
    expect(alone).toEqual(Array.from({ length: 5 }, () => ({ same: true })));
    expect(after.get('memory_vector')?.filter((row) => row.includes(two.id))).toEqual([]);
    const found = async (term: string) =>
      (await read(store, scope(tenant), (reader) => reader.searchLexical([term], everything))).hits.map(
        ({ ref }) => ref[1],
      );
    expect(await found('two')).toEqual([]);
    expect(await found('three')).toEqual([rows[2]!.id]);
  });

  it('[E1] a document goes in all its versions, with passages and facts that name it', async () => {
    const { store } = given();
    const tenant = newTenant();
    const uri = 'runbooks/search.md';
    const first = document({ sourceUri: uri }, ['An old passage.']);
    const twin = document({ sourceUri: uri, userId: jane }, ['A passage of Jane.']);
    const next = document({ sourceUri: uri, validFrom: null }, ['A new passage.']);
    await importRows(store, tenant, { rows: [first, twin] });
    await operate(store, tenant, (writer) => writer.putVersion(next, 1, []));
    await importRows(store, tenant, { rows: [entity({ sourceDocumentId: first.id }), entity({ subject: 'other' })] });
    const { report, gone } = await erased(tenant, { kind: 'document', id: next.id });
    expect(report.tables).toMatchObject({ knowledge_base_document: 2, knowledge_base_chunk: 2, entity_memory: 1 });
    expect(report.tables).toMatchObject({ knowledge_base_document_history: 1 });
    expect(gone('knowledge_base_document')).not.toContain(twin.id);
  });

  it('[E1] a tenant goes whole, and no other one with it', async () => {
    const opened = given();
    const [tenant, other] = [newTenant(), newTenant()];
    const ids = { fact: newId(), said: newId() };
    for (const owner of [tenant, other]) {
      await importRows(opened.store, owner, {
        rows: [entity({ id: ids.fact }), turn({ id: ids.said }), guideline(), tool()],
      });
      await window(opened, owner, { user: 'jane' }, [['entity', ids.fact, 1]]);
    }
    const before = await dump(raw(), other);
    const { after } = await erased(tenant, { kind: 'tenant' });
    expect(missingFrom(before, after)).toEqual({});
    const left = await dump(raw(), tenant);
    expect([...left].filter(([, rows]) => rows.length > 0).map(([name]) => name)).toEqual([
      'conversation_memory',
      'deletion_events',
    ]);
    expect(await read(opened.store, scope(tenant), (reader) => reader.recentManifests(5))).toEqual([]);
  });

  it('[E1] what followed an erased exchange in its run goes with it; what was before stays', async () => {
    const opened = given();
    const tenant = newTenant();
    const [clean, doomed] = [entity({ subject: 'clean' }), entity({ subject: 'doomed' })];
    await importRows(opened.store, tenant, { rows: [clean, doomed] });
    const { manifestId, runId } = await window(opened, tenant, { user: 'jane' }, [['entity', clean.id, 1]]);
    const [called, second, third] = [newId('call'), newId('manifest'), newId('request')];
    const answer = newId('turn');
    await write(opened.store, scope(tenant), async (writer) => {
      const of = (eventId: typeof called, eventType: Parameters<typeof event>[0], payload: object) =>
        writer.appendEvent(
          event({ ...eventType, eventId, runId: runId as never, payload: JSON.parse(JSON.stringify(payload)) }),
        );
      await of(called, { eventType: 'tool_call', role: 'assistant' }, { call_id: 'call_1' });
      await of(newId(), { eventType: 'tool_result', role: 'tool' }, { call_id: 'call_1', manifest_id: second });
      await of(second, { eventType: 'context_manifest', role: 'system' }, manifestOf(second));
      await of(third, { eventType: 'request', role: 'system' }, { manifest_id: newId('later') });
      await of(answer, { eventType: 'model_msg' }, { text: 'An answer without citation.' });
      await writer.addProvenance([
        { derived: ['conversation', second, 1], source: ['entity', doomed.id, 1], relation: 'used_in_window' },
      ]);
    });
    await erase(tenant, { kind: 'event', id: rowId('unknown') });
    const { gone } = await erased(tenant, { kind: 'event', id: second });
    for (const id of [called, second, third]) expect(gone('conversation_memory')).toContain(id);
    for (const id of [manifestId, answer]) expect(gone('conversation_memory')).not.toContain(id);
    expect(gone('context_run')).toContain(runId);
  });

  it('[E1] old versions go too: nothing of them can be read as of an earlier snapshot', async () => {
    const { store } = given();
    const tenant = newTenant();
    const row = entity({ userId: jane, content: 'first' });
    await importRows(store, tenant, { rows: [row] });
    const next = { ...row, id: newId(), content: 'second', validFrom: null };
    await write(store, scope(tenant), (writer) => writer.putVersion(next, 1, []));
    const { report } = await erased(tenant, { kind: 'user', userId: jane });
    expect(report.tables).toMatchObject({ entity_memory: 2, entity_memory_history: 1 });
    for (const [name, rows] of await dump(raw(), tenant)) {
      if (name.endsWith('_history')) expect({ name, rows }).toEqual({ name, rows: [] });
    }
  });

  it('[E1,N3] what was read before an erasure is not recorded after it', async () => {
    const opened = given();
    const tenant = newTenant();
    const fact = entity({ userId: jane });
    const said = turn();
    await importRows(opened.store, tenant, { rows: [fact, said] });
    const ref: Ref = ['entity', fact.id, 1];
    await erase(tenant, { kind: 'user', userId: jane });
    await expect(window(opened, tenant, { user: 'jane' }, [ref])).rejects.toMatchObject({ code: 'version_conflict' });
    await write(opened.store, scope(tenant), async (writer) => {
      await writer.putIndex([entry(ref, fact.content, { vector: [1, 0, 0, 0] })]);
      await writer.putTokenCounts([
        { ref, contentHash: hash(fact.content), tokens: { full: 9 }, rendererVersion: '1', encoding: 'e' },
      ]);
      const compression = { id: newId(), source: ref, sourceHash: hash(fact.content), text: 'H.', tokens: 2 };
      expect(await writer.putCompressions([{ ...compression, model: 'm', promptVersion: '1' }])).toEqual([]);
    });
    const learned = entity({ userId: jane, sourceEventId: said.id });
    await expect(
      write(opened.store, scope(tenant), (writer) => writer.putVersion(learned, 0, [])),
    ).rejects.toMatchObject({ code: 'version_conflict' });
    const left = [...(await dump(raw(), tenant))].filter(([, rows]) => rows.length > 0).map(([name]) => name);
    expect(left).toEqual(['deletion_events']);
    // The id of a turn that left a stone leads nowhere too.
    const single = turn();
    await importRows(opened.store, tenant, { rows: [single, turn()] });
    await erase(tenant, { kind: 'event', id: single.id });
    await expect(window(opened, tenant, { user: 'jane' }, [['conversation', single.id, 1]])).rejects.toMatchObject({
      code: 'version_conflict',
    });
  });

  it('[E1,N2] nobody but an operator erases, and an operator nothing of another tenant', async () => {
    const { store } = given();
    const [tenant, other] = [newTenant(), newTenant()];
    await importRows(store, tenant, { rows: [turn(), entity()] });
    const before = await dump(raw(), tenant);
    const call = `select memory.erase('{"kind": "tenant"}', false)`;
    for (const statement of [
      call,
      'select memory.retain(10, false)',
      `select * from memory.erase_rows('${tenant}', '{"kind": "tenant"}', null, false)`,
    ]) {
      for (const stranger of [
        { role: 'mem_app', tenant, user: 'jane' },
        { role: 'mem_app', tenant },
        { role: 'mem_operator' },
      ] as const) {
        await expect(raw().query(stranger, statement)).rejects.toMatchObject({ code: '42501' });
      }
    }
    await expect(
      raw().query({ role: 'mem_operator', tenant }, `select memory.erase('{"kind": "expired"}', false)`),
    ).rejects.toMatchObject({ code: '42501' });
    await erase(other, { kind: 'tenant' });
    await erase(other, { kind: 'user', userId: jane });
    expect(missingFrom(before, await dump(raw(), tenant))).toEqual({});
  });

  contractOfRetention(given, raw);
}

function contractOfRetention(given: () => OpenedStore, raw: () => RawSession): void {
  const policy = (value: object) => guideline({ key: 'context_retention', value: JSON.parse(JSON.stringify(value)) });
  const retain = (tenant: string, dryRun = false) => given().store.retain(operator(tenant), { ...options(), dryRun });
  const horizonOf = (tenant: string) =>
    raw().query({ role: 'mem_app', tenant, user: 'jane' }, 'select horizon::text as xid from memory.history_horizon');

  // Tenants of other tests have policies too, and a round sees to all that are due.
  const settle = async (everySeconds: number): Promise<number> => {
    let steps = 0;
    while ((await given().store.retainNext(options(), everySeconds)) !== null) steps += 1;
    return steps;
  };
  beforeAll(() => settle(3600));

  it('[N4] without a policy everything is kept', async () => {
    const tenant = newTenant();
    await importRows(given().store, tenant, { rows: [turn()] });
    expect(await retain(tenant)).toBeNull();
    expect(await read(given().store, scope(tenant), (reader) => reader.tail(5))).toHaveLength(1);
  });

  it('[N4,E1] expired events go by class with what came of them, and young or unnamed ones stay', async () => {
    const opened = given();
    const { store } = opened;
    const tenant = newTenant();
    const long = { createdAt: instant('2020-01-01T00:00:00Z') };
    const [old, older] = [turn(long), turn({ ...long, eventType: 'model_msg' })];
    const fact = entity({ sourceEventId: old.id });
    await importRows(store, tenant, {
      rows: [policy({ classes: { user_msg: 30, model_msg: null } }), old, older, fact],
    });
    await write(store, scope(tenant), (writer) => writer.appendEvent(event()));
    const { manifestId } = await window(opened, tenant, { user: 'jane' }, [['entity', fact.id, 1]]);
    const preview = await retain(tenant, true);
    const report = await retain(tenant);
    expect(report?.expired.tables).toEqual(preview?.expired.tables);
    expect(report?.expired.tables).toMatchObject({ entity_memory: 1, conversation_memory: 4, context_run: 1 });
    const types = await raw().query(
      { role: null },
      'select manifest_id, event_type from memory.conversation_memory where tenant_id = $1 order by event_order',
      [tenant],
    );
    expect(types.map((row) => row['event_type'])).toEqual(['model_msg', 'user_msg', 'tombstone']);
    expect(types[2]?.['manifest_id']).toBe(manifestId);
    expect(rowsIn((await retain(tenant))?.expired.tables ?? {})).toBe(0);
  });

  /** A server has other tests' transactions too, and nothing is pruned that one of them, begun before, could still see. */
  async function othersHaveEnded(): Promise<void> {
    const xid = await presentTransaction(raw());
    const hasEnded = async () => {
      const sql = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as so';
      return (await raw().query({ role: null }, sql, [xid]))[0]?.['so'];
    };
    await expect.poll(hasEnded, { timeout: 30_000 }).toBe(true);
  }

  it('[N4] history is pruned by what transactions had ended, and says how far back it still reaches', async () => {
    const { store } = given();
    const tenant = newTenant();
    const fact = entity({ userId: jane });
    const keep = policy({ history_days: 1 });
    await importRows(store, tenant, { rows: [keep, fact] });
    const retire = () => operate(store, tenant, (writer) => writer.quarantine(['entity', fact.id, 1], 'odd'));
    await retire();
    await othersHaveEnded();
    expect(rowsIn((await retain(tenant))?.pruned ?? {})).toBe(0);
    expect(await horizonOf(tenant)).toEqual([]);
    await raw().query(
      { role: null },
      `update memory.history_mark set marked_at = marked_at - interval '2 days' where tenant_id = $1`,
      [tenant],
    );
    await retire();
    const position = await read(store, scope(tenant), async (reader) => reader.position.scn);
    const preview = await retain(tenant, true);
    const report = await retain(tenant);
    expect(report?.pruned).toEqual(preview?.pruned);
    expect(report?.pruned).toMatchObject({ entity_memory_history: 1 });
    const [horizon] = await horizonOf(tenant);
    expect(BigInt(String(position.split(':')[0]))).toBeGreaterThanOrEqual(BigInt(String(horizon?.['xid'])));
    const left = await dump(raw(), tenant);
    expect(left.get('entity_memory_history')).toHaveLength(1);
    const stranger = { role: 'mem_app', tenant: newTenant(), user: 'jane' } as const;
    expect(await raw().query(stranger, 'select 1 from memory.history_horizon')).toEqual([]);
  });

  it('[N4,N2] a serving process sees to tenants that are due, by their policies alone, and learns only numbers', async () => {
    const { store } = given();
    const [tenant, without] = [newTenant(), newTenant()];
    const old = { createdAt: instant('2020-01-01T00:00:00Z') };
    for (const owner of [tenant, without]) await importRows(store, owner, { rows: [turn(old)] });
    await importRows(store, tenant, { rows: [policy({ default: 30 }), guideline({ userId: jane })] });
    // A user's own guideline of that name is no policy.
    await write(store, scope(without), (writer) =>
      writer.putVersion({ ...policy({ default: 30 }), key: 'context_retention_mine', userId: jane }, 0, []),
    );
    const step = await store.retainNext(options(), 3600);
    expect(rowsIn(step?.expired.tables ?? {})).toBeGreaterThan(0);
    expect(JSON.stringify(step)).not.toContain(tenant);
    expect(await store.retainNext(options(), 3600)).toBeNull();
    const count = async (of: string) => (await dump(raw(), of)).get('conversation_memory')?.length;
    expect({ due: await count(tenant), without: await count(without) }).toEqual({ due: 0, without: 1 });
    for (const stranger of [{ role: 'mem_operator', tenant }] as const) {
      await expect(raw().query(stranger, 'select memory.retain_next(1, 10)')).rejects.toMatchObject({ code: '42501' });
    }
  });
}
