// Digests of threads and the list of long memories (design C1, N2): one current digest a thread, its user's alone.

import { expect, it } from 'vitest';
import { threadId, userId } from '../../src/model/ids.ts';
import type { Ref } from '../../src/model/memory.ts';
import { digestArtifacts, digestTaskType } from '../../src/store/digest_rows.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { NewThreadDigest } from '../../src/store/written_rows.ts';
import type { OpenedStore } from './harness.ts';
import {
  document,
  entry,
  event,
  hash,
  importRows,
  newId,
  newTenant,
  operate,
  read,
  scope,
  summary,
  write,
} from './harness.ts';

const made = { model: 'm', promptVersion: '1', sourceHash: 'h', firstTurn: 1, lastTurn: 2, turns: 2, tokens: 4 };

/** A digest of these turns. */
function digestOf(as: Scope, sources: readonly Ref[], given: Partial<NewThreadDigest> = {}): NewThreadDigest {
  const row = summary({
    id: newId('digest'),
    userId: as.userId,
    agentId: as.agentId,
    threadId: as.threadId,
    validFrom: null,
    taskType: digestTaskType,
    summary: 'user 1: Nobody deploys zebras.',
    keySteps: [],
    outcome: null,
    artifacts: digestArtifacts(made),
    trust: 'derived',
  });
  const ref: Ref = ['summary', row.id, 1];
  return { row, replaces: null, sources, index: [entry(ref, row.summary)], counts: [], ...given };
}

async function twoTurns(store: OpenedStore['store'], as: Scope): Promise<readonly Ref[]> {
  const turns: Ref[] = [];
  for (const text of ['First.', 'Second.']) {
    const { eventId } = await write(store, as, (writer) => writer.appendEvent(event({ payload: { text } })));
    turns.push(['conversation', eventId, 1]);
  }
  return turns;
}

const digestAs = (store: OpenedStore['store'], as: Scope) => read(store, as, (reader) => reader.threadDigest());

export function contractOfDigests(given: () => OpenedStore): void {
  it('[C1,D4,Q10] a digest is read back with what it was made of, found by search, and names its turns', async () => {
    const { store } = given();
    const jane = scope(newTenant());
    const turns = await twoTurns(store, jane);
    const digest = digestOf(jane, turns);
    const ref = await write(store, jane, (writer) => writer.putThreadDigest(digest));
    expect(ref).toEqual(['summary', digest.row.id, 1]);
    expect(await digestAs(store, jane)).toMatchObject({ ...made, memory: { ref, summary: digest.row.summary } });
    await read(store, jane, async (reader) => {
      const edges = await reader.provenance([['summary', digest.row.id, 1]]);
      expect(edges.map(({ relation }) => relation)).toEqual(['derived_from', 'derived_from']);
      expect(new Set(edges.map(({ source }) => source[1]))).toEqual(new Set(turns.map((turn) => turn[1])));
      const filter = { kinds: ['summary'] as const, collections: null, exclude: [], limit: 5 };
      const found = await reader.searchLexical(['zebras'], filter);
      expect(found.hits.map((hit) => hit.ref)).toEqual([ref]);
    });
  });

  it('[C1] a digest replaces just the one that was read: of two, one stays; the former ends where it begins', async () => {
    const { store } = given();
    const jane = scope(newTenant());
    const turns = await twoTurns(store, jane);
    const [first, second] = [digestOf(jane, turns), digestOf(jane, turns)];
    const put = (digest: NewThreadDigest) => write(store, jane, (writer) => writer.putThreadDigest(digest));
    const results = await Promise.all([put(first), put(second)]);
    expect(results.filter((ref) => ref !== null)).toHaveLength(1);
    const winner = results[0] === null ? second : first;
    const next = digestOf(jane, turns, { replaces: winner.row.id });
    expect(await put({ ...next, replaces: null })).toBeNull();
    expect(await put(next)).toEqual(['summary', next.row.id, 1]);
    const [former, current] = await read(store, jane, (reader) =>
      reader.memories([
        ['summary', winner.row.id, 1],
        ['summary', next.row.id, 1],
      ]),
    ).then((rows) => (rows[0]?.ref[1] === winner.row.id ? rows : rows.toReversed()));
    expect(former?.lifecycle.validUntil).toBe(current?.lifecycle.validFrom);
    expect((await digestAs(store, jane))?.memory.ref[1]).toBe(next.row.id);
    const before = former?.lifecycle.validFrom;
    const then = await read(store, jane, (reader) => reader.threadDigest(), before);
    expect(then?.memory.ref[1]).toBe(winner.row.id);
  });

  it('[C1,E1] a digest of a turn that is gone or quarantined meanwhile is not written', async () => {
    const { store } = given();
    const tenant = newTenant();
    const jane = scope(tenant);
    const turns = await twoTurns(store, jane);
    const put = (digest: NewThreadDigest) => write(store, jane, (writer) => writer.putThreadDigest(digest));
    expect(await put(digestOf(jane, [...turns, ['conversation', newId(), 1]]))).toBeNull();
    await operate(store, tenant, (writer) => writer.quarantine(turns[0]!, 'test'));
    expect(await put(digestOf(jane, turns))).toBeNull();
    expect(await digestAs(store, jane)).toBeNull();
  });

  it('[C1] a quarantined digest is not shown, and does not stand in the way of the next one', async () => {
    const { store } = given();
    const tenant = newTenant();
    const jane = scope(tenant);
    const turns = await twoTurns(store, jane);
    const put = (digest: NewThreadDigest) => write(store, jane, (writer) => writer.putThreadDigest(digest));
    const bad = (await put(digestOf(jane, turns)))!;
    await operate(store, tenant, (writer) => writer.quarantine(bad, 'test'));
    expect(await digestAs(store, jane)).toBeNull();
    expect(await put(digestOf(jane, turns))).not.toBeNull();
    expect(await digestAs(store, jane)).not.toBeNull();
  });

  it('[N2,I2] digests and threads are those of the user, agent and thread that ask, and of no one else', async () => {
    const { store } = given();
    const tenant = newTenant();
    const jane = scope(tenant);
    const turns = await twoTurns(store, jane);
    await write(store, jane, (writer) => writer.putThreadDigest(digestOf(jane, turns)));
    const others = [
      scope(tenant, 'sam'),
      scope(newTenant()),
      scope(tenant, 'jane', { agent: 'helper' }),
      scope(tenant, 'jane', { thread: 'other' }),
    ];
    for (const other of others) expect(await digestAs(store, other)).toBeNull();
    for (const other of others.slice(0, 3)) {
      expect(await read(store, other, (reader) => reader.ownThreads('', 10))).toEqual([]);
    }
    expect(await read(store, jane, (reader) => reader.ownThreads('', 10))).toEqual([
      { threadId: threadId('main'), turns: 2 },
    ]);
    expect(await read(store, jane, (reader) => reader.ownThreads('main', 10))).toEqual([]);
    const foreign = digestOf(scope(tenant, 'sam'), turns);
    await expect(write(store, jane, (writer) => writer.putThreadDigest(foreign))).rejects.toMatchObject({
      code: 'scope_violation',
    });
    // Sam's own digest cannot be made of jane's turns either: they are not there for him.
    const sam = scope(tenant, 'sam');
    expect(await write(store, sam, (writer) => writer.putThreadDigest(digestOf(sam, turns)))).toBeNull();
  });

  it('[N2] an end user writes no other summaries, and retires none', async () => {
    const { store, raw } = given();
    if (raw === null) return;
    const tenant = newTenant();
    const own = summary({ userId: userId('jane') });
    await importRows(store, tenant, { rows: [own] });
    const jane = { role: 'mem_app', tenant, user: 'jane' } as const;
    const insert = (taskType: string, trust: string) =>
      raw.query(
        jane,
        `insert into memory.summarization_memory (tenant_id, id, user_id, thread_id, task_type, title, summary, key_steps,
           completed_at, valid_from, created_at, written_by, trust, xid)
         values ($1, $2, 'jane', 'main', $3, 't', 's', '[]', now(), now(), now(), 'jane', $4, '1')`,
        [tenant, newId(), taskType, trust],
      );
    await expect(insert('answer', 'derived')).rejects.toThrow();
    await expect(insert(digestTaskType, 'verified')).rejects.toThrow();
    await insert(digestTaskType, 'derived');
    await expect(insert(digestTaskType, 'derived')).rejects.toThrow();
    const retire = 'update memory.summarization_memory set valid_until = now() where id = $1 returning id';
    expect(await raw.query(jane, retire, [own.id])).toEqual([]);
  });

  it('[C1,N2] long memories are listed by the counts that the caller may see, page by page', async () => {
    const { store } = given();
    const tenant = newTenant();
    const paper = document({}, ['One.', 'Two.', 'Three.']);
    const secret = document({ userId: userId('sam') }, ['Four.']);
    await importRows(store, tenant, { rows: [paper, secret] });
    const version = { rendererVersion: '1', encoding: 'o200k_base' };
    const refs = [...paper.chunks, ...secret.chunks].map((chunk): Ref => ['chunk', chunk.id, 1]);
    const contents = [...paper.chunks, ...secret.chunks].map(({ content }) => content);
    await operate(store, tenant, (writer) =>
      writer.putTokenCounts(
        refs.map((ref, index) => ({
          ref,
          contentHash: hash(contents[index]!),
          tokens: { full: [50, 500, 600, 700][index]! },
          ...version,
        })),
      ),
    );
    const list = (as: Scope, after: Ref | null, limits = new Map([['chunk' as const, 100]])) =>
      read(store, as, (reader) => reader.longMemories(limits, { after, limit: 2, ...version }));
    const page = await list(scope(tenant), null);
    expect(page).toEqual([refs[1], refs[2]]);
    expect(await list(scope(tenant), page[0]!)).toEqual([refs[2]]);
    expect(await list(scope(tenant), null, new Map([['chunk', 600]]))).toEqual([]);
    expect(await list(scope(newTenant()), null)).toEqual([]);
    const ofSam = await read(store, scope(tenant, 'sam'), (reader) =>
      reader.longMemories(new Map([['chunk', 100]]), { after: null, limit: 9, ...version }),
    );
    expect(ofSam).toHaveLength(3);
  });
}
