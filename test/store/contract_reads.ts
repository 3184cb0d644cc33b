// Reads of one window: what is current, what is in scope, and in which order it comes.

import { describe, expect, it } from 'vitest';
import { agentId, rowId, threadId, userId } from '../../src/model/ids.ts';
import { instant } from '../../src/model/time.ts';
import type { OpenedStore } from './harness.ts';
import {
  document,
  entity,
  entry,
  event,
  guideline,
  hash,
  ids,
  importRows,
  newId,
  newTenant,
  operate,
  persona,
  rawOf,
  read,
  scope,
  summary,
  tool,
  turn,
  workflow,
  write,
} from './harness.ts';

export function contractOfReads(given: () => OpenedStore): void {
  it('[S1] guidelines, personas and tools are those current at the evaluation time, whose scope holds the caller', async () => {
    const tenant = newTenant();
    const rows = [
      guideline({ id: rowId('g_all') }),
      guideline({ id: rowId('g_jane'), userId: userId('jane') }),
      guideline({ id: rowId('g_sam'), userId: userId('sam') }),
      guideline({ id: rowId('g_agent'), agentId: agentId('helper') }),
      guideline({ id: rowId('g_thread'), threadId: threadId('elsewhere') }),
      guideline({ id: rowId('g_over'), key: 'over', validUntil: instant('2026-02-01T00:00:00Z') }),
      guideline({ id: rowId('g_later'), key: 'later', validFrom: instant('2026-06-01T00:00:00Z') }),
      persona({ id: rowId('p_all') }),
      tool({ id: rowId('t_all') }),
      tool({ id: rowId('t_agent'), agentId: agentId('helper') }),
    ];
    await importRows(given().store, tenant, { rows });
    const at = (time: string, as = scope(tenant)) =>
      read(
        given().store,
        as,
        async (reader) => [ids(await reader.guidelines()), ids(await reader.personas()), ids(await reader.tools())],
        time,
      );
    expect(await at('2026-03-01T00:00:00Z')).toEqual([['g_all', 'g_jane'], ['p_all'], ['t_all']]);
    expect((await at('2026-01-31T23:59:59.999999Z'))[0]).toContain('g_over');
    expect((await at('2026-02-01T00:00:00Z'))[0]).not.toContain('g_over');
    expect((await at('2026-06-01T00:00:00Z'))[0]).toContain('g_later');
    const helper = scope(tenant, 'jane', { agent: 'helper', thread: 'elsewhere' });
    expect(await at('2026-03-01T00:00:00Z', helper)).toEqual([
      ['g_agent', 'g_all', 'g_jane', 'g_thread'],
      ['p_all'],
      ['t_agent', 't_all'],
    ]);
  });

  it('every type comes back as it was written, refs with their versions', async () => {
    const tenant = newTenant();
    const own = { userId: userId('jane'), agentId: agentId('helper') };
    const paper = document({ ...own, metadata: { authors: ['A'] } }, ['One.', 'Two.']);
    const fact = entity({
      ...own,
      conditions: { workload: 'research' },
      aliases: ['the system'],
      value: { low: 1, high: [2, 3] },
      unit: 'ms',
      sourceDocumentId: paper.id,
      sourceEventId: rowId('event_1'),
      version: 3,
    });
    const way = workflow(own);
    const past = summary({ ...own, threadId: threadId('old'), keySteps: ['a', 'b'], outcome: 'done' });
    const said = turn({
      agentId: agentId('helper'),
      threadId: threadId('old'),
      speaker: 'Jane',
      text: 'Größe: 5 µm 🙂',
    });
    await importRows(given().store, tenant, { rows: [paper, fact, way, past, said] });
    const memories = await read(given().store, scope(tenant, 'jane', { agent: 'helper' }), (reader) =>
      reader.memories([
        ['entity', fact.id, 3],
        ['workflow', way.id, 1],
        ['summary', past.id, 1],
        ['conversation', said.id, 1],
        ['chunk', paper.chunks[1]!.id, 1],
        ['entity', fact.id, 2],
        ['summary', past.id, 2],
        ['chunk', rowId('nowhere'), 1],
      ]),
    );
    expect(memories.map((row) => row.type)).toEqual(['chunk', 'conversation', 'entity', 'summary', 'workflow']);
    const [chunk, talk, claim, episode, flow] = memories;
    expect(chunk).toMatchObject({
      documentId: paper.id,
      documentVersion: 1,
      chunkIndex: 1,
      collection: 'papers',
      title: 'A paper',
      sourceUri: paper.sourceUri,
      content: 'Two.',
      lifecycle: { validFrom: '2026-01-01T00:00:00.000000Z', validUntil: null },
    });
    expect(talk).toMatchObject({
      role: 'user',
      speaker: 'Jane',
      text: 'Größe: 5 µm 🙂',
      turnIndex: 1,
      lifecycle: { validFrom: '2026-02-01T00:00:00.000000Z', createdAt: '2026-02-01T00:00:00.000000Z' },
    });
    expect(claim).toMatchObject({
      ref: ['entity', fact.id, 3],
      scope: { tenantId: tenant, userId: 'jane', agentId: 'helper', threadId: null },
      subject: 'helios',
      conditions: { workload: 'research' },
      aliases: ['the system'],
      value: { low: 1, high: [2, 3] },
      unit: 'ms',
      sourceDocumentId: paper.id,
      sourceEventId: 'event_1',
      trust: 'verified',
      confidence: 0.8,
    });
    expect(episode).toMatchObject({
      keySteps: ['a', 'b'],
      outcome: 'done',
      completedAt: '2026-07-01T00:00:00.000000Z',
    });
    expect(flow).toMatchObject({ steps: ['Look.', 'Compress.'], expectedOutcome: 'Room.', confidence: null });
  });

  it('[S1] memories obey agent and thread; turns and summaries come from any own thread', async () => {
    const tenant = newTenant();
    const rows = [
      entity({ id: rowId('e_here'), threadId: threadId('main') }),
      entity({ id: rowId('e_elsewhere'), threadId: threadId('old') }),
      entity({ id: rowId('e_agent'), agentId: agentId('helper') }),
      summary({ id: rowId('s_old'), userId: userId('jane'), threadId: threadId('old') }),
      summary({ id: rowId('s_shared') }),
      turn({ id: rowId('c_old'), threadId: threadId('old') }),
      turn({ id: rowId('c_agent'), agentId: agentId('helper') }),
      turn({ id: rowId('c_sam'), userId: userId('sam') }),
    ];
    await importRows(given().store, tenant, { rows });
    const refs = rows.map((row) => [row.type, row.id, 1] as const);
    const seen = await read(given().store, scope(tenant), (reader) => reader.memories(refs));
    expect(ids(seen)).toEqual(['c_old', 'e_here', 's_old', 's_shared']);
  });

  it('a row that cannot be read as its type is left out and told to the log, without its text', async () => {
    const { store, problems } = given();
    const raw = rawOf(given());
    const tenant = newTenant();
    const good = tool({ id: rowId('t_good'), name: 'good' });
    const bad = tool({ id: rowId('t_bad'), name: 'bad', accessPolicy: { rolez: ['x'] } });
    const broken = entity({ content: 'secret words' });
    await importRows(store, tenant, { rows: [good, bad, broken] });
    await raw.query({ role: null }, `update memory.entity_memory set content_json = '{"aliases": 7}' where id = $1`, [
      broken.id,
    ]);
    expect(ids(await read(store, scope(tenant), (reader) => reader.tools()))).toEqual(['t_good']);
    expect(await read(store, scope(tenant), (reader) => reader.memories([['entity', broken.id, 1]]))).toEqual([]);
    const told = problems.filter(({ detail }) => detail['id'] === bad.id || detail['id'] === broken.id);
    expect(told.map(({ detail }) => detail['fields'])).toEqual([['access_policy'], ['content_json.aliases']]);
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  it('[Q10] entities of subjects are the current ones; versions of an identity are all of them', async () => {
    const tenant = newTenant();
    const old = entity({
      id: rowId('v1'),
      supersededBy: rowId('v2'),
      validUntil: instant('2026-05-01T00:00:00Z'),
    });
    const now = entity({ id: rowId('v2'), version: 2, validFrom: instant('2026-05-01T00:00:00Z') });
    const conditional = entity({ id: rowId('v_if'), conditions: { b: 1, a: [2] } });
    const otherPredicate = entity({ id: rowId('v_cost'), predicate: 'cost' });
    await importRows(given().store, tenant, { rows: [old, now, conditional, otherPredicate] });
    await read(given().store, scope(tenant), async (reader) => {
      expect(ids(await reader.entitiesOf(['helios', 'nobody'], null))).toEqual(['v2', 'v_cost', 'v_if']);
      expect(ids(await reader.entitiesOf(['helios'], ['cost']))).toEqual(['v_cost']);
      expect(ids(await reader.entitiesOf([], null))).toEqual([]);
      const plain = { subject: 'helios', predicate: 'accuracy', conditions: null };
      expect(ids(await reader.entityVersions([plain]))).toEqual(['v1', 'v2']);
      expect(ids(await reader.entityVersions([{ ...plain, conditions: {} }]))).toEqual(['v1', 'v2']);
      // Conditions are compared by their canonical JSON.
      expect(ids(await reader.entityVersions([{ ...plain, conditions: { a: [2], b: 1 } }]))).toEqual(['v_if']);
    });
  });

  it('subjectsNamed gives every name that a subject has in scope, and no retired or foreign one', async () => {
    const tenant = newTenant();
    const one = entity({ subject: 'Helios-RAG' });
    const two = entity({ subject: 'Helios-RAG', predicate: 'cost' });
    const gone = entity({ subject: 'Old', validUntil: instant('2026-02-01T00:00:00Z') });
    const sams = entity({ subject: 'Helios-RAG', predicate: 'secret', userId: userId('sam') });
    await importRows(given().store, tenant, {
      rows: [one, two, gone, sams],
      index: [
        entry(['entity', one.id, 1], one.content, { names: ['helios rag', 'helios'] }),
        entry(['entity', two.id, 1], two.content, { names: ['helios rag', 'the retriever'] }),
        entry(['entity', gone.id, 1], gone.content, { names: ['old'] }),
        entry(['entity', sams.id, 1], sams.content, { names: ['helios rag', 'sams name'] }),
      ],
    });
    await read(given().store, scope(tenant), async (reader) => {
      expect(await reader.subjectsNamed(['helios', 'nothing'])).toEqual([
        { subject: 'Helios-RAG', names: ['helios', 'helios rag', 'the retriever'] },
      ]);
      expect(await reader.subjectsNamed(['old'])).toEqual([]);
      expect(await reader.subjectsNamed(['sams name'])).toEqual([]);
      expect(await reader.subjectsNamed([])).toEqual([]);
    });
  });

  it('collections are those of current documents in scope, sorted', async () => {
    const tenant = newTenant();
    await importRows(given().store, tenant, {
      rows: [
        document({ collection: 'runbooks' }),
        document({ collection: 'papers', validUntil: instant('2026-02-01T00:00:00Z') }),
        document({ collection: 'papers' }),
        document({ collection: 'papers' }),
        document({ collection: 'gone', validUntil: instant('2026-02-01T00:00:00Z') }),
        document({ collection: 'helpers', agentId: agentId('helper') }),
        document({ collection: 'sams', userId: userId('sam') }),
      ],
    });
    await importRows(given().store, newTenant(), { rows: [document({ collection: 'another tenant’s' })] });
    expect(await read(given().store, scope(tenant), (reader) => reader.collections())).toEqual(['papers', 'runbooks']);
  });

  it('[S7] the tail is the newest turns of this very thread, newest first; unusable ones take no place', async () => {
    const { store } = given();
    const tenant = newTenant();
    const turns = Array.from({ length: 8 }, (_, index) => turn({ id: rowId(`turn_${index + 1}`) }));
    await importRows(store, tenant, {
      rows: [
        ...turns,
        turn({ threadId: threadId('old') }),
        turn({ agentId: agentId('helper') }),
        turn({ userId: userId('sam') }),
      ],
    });
    await write(store, scope(tenant), (writer) => writer.appendEvent(event({ eventType: 'retrieval', payload: {} })));
    await operate(store, tenant, (writer) => writer.quarantine(['conversation', rowId('turn_7'), 1], 'test'));
    const tail = await read(store, scope(tenant), (reader) => reader.tail(3));
    expect(tail.map((row) => row.turnIndex)).toEqual([8, 7, 6, 5]);
    expect(tail[1]?.lifecycle.quarantinedAt).not.toBeNull();
    expect(await read(store, scope(tenant), (reader) => reader.tail(0))).toEqual([]);
    expect(await read(store, scope(tenant), (reader) => reader.tail(3), '2026-01-15T00:00:00Z')).toEqual([]);
  });

  it('[S3] provenance is followed to any depth, through circles, along its two relations alone', async () => {
    const tenant = newTenant();
    const edge = (derived: string, source: string, relation: 'derived_from' | 'mentions' | 'supports') => ({
      derived: ['summary', rowId(derived), 1] as const,
      source: ['summary', rowId(source), 1] as const,
      relation,
    });
    const provenance = [
      edge('a', 'b', 'derived_from'),
      edge('b', 'c', 'mentions'),
      edge('c', 'a', 'derived_from'),
      edge('c', 'd', 'supports'),
    ];
    await importRows(given().store, tenant, {
      rows: ['a', 'b', 'c', 'd'].map((id) => summary({ id: rowId(id), title: id })),
      provenance,
    });
    await read(given().store, scope(tenant), async (reader) => {
      expect(await reader.provenance([['summary', rowId('a'), 1]])).toEqual(provenance.slice(0, 3));
      expect(await reader.provenance([['summary', rowId('d'), 1]])).toEqual([]);
      expect(await reader.provenance([])).toEqual([]);
    });
  });

  it('versions tell lifecycle, scope and identity of any ref, and no text', async () => {
    const tenant = newTenant();
    const old = entity({
      userId: userId('jane'),
      content: 'The text.',
      supersededBy: rowId('next'),
      validUntil: instant('2026-05-01T00:00:00Z'),
      conditions: { a: 1 },
    });
    const paper = document({ validUntil: instant('2026-06-01T00:00:00Z') });
    const said = turn();
    const rule = guideline();
    await importRows(given().store, tenant, { rows: [old, paper, said, rule] });
    const versions = await read(given().store, scope(tenant), (reader) =>
      reader.versions([
        ['entity', old.id, 1],
        ['document', paper.id, 1],
        ['chunk', paper.chunks[0]!.id, 1],
        ['conversation', said.id, 1],
        ['guideline', rule.id, 1],
        ['entity', old.id, 9],
      ]),
    );
    expect(versions.map((row) => row.ref[0])).toEqual(['chunk', 'conversation', 'document', 'entity', 'guideline']);
    expect(versions[3]).toMatchObject({
      ref: ['entity', old.id, 1],
      scope: { tenantId: tenant, userId: 'jane' },
      lifecycle: { validUntil: '2026-05-01T00:00:00.000000Z', supersededBy: 'next' },
      identity: { subject: 'helios', predicate: 'accuracy', conditions: { a: 1 } },
    });
    expect(versions[0]).toMatchObject({ lifecycle: { validUntil: '2026-06-01T00:00:00.000000Z' }, identity: null });
    expect(JSON.stringify(versions)).not.toContain('The text.');
  });

  it('[Q7] links come for either end, once each', async () => {
    const tenant = newTenant();
    const [one, two, three] = ['one', 'two', 'three'].map((id) => entity({ id: rowId(id), subject: id }));
    const link = {
      source: ['entity', one!.id, 1] as const,
      target: ['entity', two!.id, 1] as const,
      relation: 'contradicts' as const,
    };
    await importRows(given().store, tenant, { rows: [one!, two!, three!], links: [link] });
    await read(given().store, scope(tenant), async (reader) => {
      expect(await reader.links([link.source])).toEqual([link]);
      expect(await reader.links([link.target, link.source])).toEqual([link]);
      expect(await reader.links([['entity', three!.id, 1]])).toEqual([]);
    });
  });

  describe('derived while serving a user', () => {
    it('[C1,N2] a compression is kept for its writer, and only while the source says the same', async () => {
      const { store } = given();
      const tenant = newTenant();
      const paper = document({}, ['A long passage.']);
      await importRows(store, tenant, { rows: [paper] });
      const source = ['chunk', paper.chunks[0]!.id, 1] as const;
      const made = (sourceHash: string) => ({
        id: newId(),
        source,
        sourceHash,
        text: 'Short.',
        tokens: 2,
        model: 'm',
        promptVersion: '1',
      });
      const good = made(hash('A long passage.'));
      const put = (as: ReturnType<typeof scope>, compression: typeof good) =>
        write(store, as, (writer) => writer.putCompressions([compression]));
      expect(await put(scope(tenant), made(hash('Another text.')))).toEqual([]);
      expect(await put(scope(tenant), good)).toEqual([good]);
      // The one that stands already is the one to use; one of another length stands beside it.
      expect(await put(scope(tenant), made(hash('A long passage.')))).toEqual([good]);
      const shorter = { ...made(hash('A long passage.')), text: 'Sh.', tokens: 1 };
      expect(await put(scope(tenant), shorter)).toEqual([shorter]);
      const kept = await read(store, scope(tenant), (reader) => reader.compressions([source]));
      expect(new Set(kept)).toEqual(new Set([good, shorter]));
      expect(await read(store, scope(tenant, 'sam'), (reader) => reader.compressions([source]))).toEqual([]);
    });

    it('[N3,N2] token counts are kept for their writer by renderer and encoding, and stale ones are skipped', async () => {
      const { store } = given();
      const tenant = newTenant();
      const fact = entity();
      await importRows(store, tenant, { rows: [fact] });
      const ref = ['entity', fact.id, 1] as const;
      const version = { rendererVersion: '1', encoding: 'o200k_base' };
      const counted = (tokens: object, contentHash = hash(fact.content)) => ({ ref, contentHash, tokens, ...version });
      await write(store, scope(tenant), async (writer) => {
        await writer.putTokenCounts([counted({ full: 12, pointer: 7 })]);
        await writer.putTokenCounts([counted({ full: 13 }), counted({ full: 99 }, hash('stale'))]);
      });
      const get = (as: ReturnType<typeof scope>, of = version) =>
        read(store, as, async (reader) => [...(await reader.tokenCounts([ref], of)).values()]);
      expect(await get(scope(tenant))).toEqual([{ full: 13, pointer: 7 }]);
      expect(await get(scope(tenant), { ...version, rendererVersion: '2' })).toEqual([]);
      expect(await get(scope(tenant, 'sam'))).toEqual([]);
      await operate(store, tenant, (writer) => writer.putTokenCounts([counted({ full: 13 })]));
      expect(await get(scope(tenant, 'sam'))).toEqual([{ full: 13 }]);
    });
  });
}
