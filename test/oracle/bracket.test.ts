// The bracket round every use of a connection, with the real driver over a scripted server: the order of what is sent,
// and that no connection is lent with somebody's context on it. What the statements mean, nothing here can say.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { instant } from '../../src/model/time.ts';
import { event, operator, options, scope } from '../store/harness.ts';
import { nameOf, openScripted } from './stub/scripted_store.ts';
import type { Answers, ScriptedStore } from './stub/scripted_store.ts';
import type { StubCall, StubReply } from './stub/script.ts';

const jane = scope('acme', 'jane', { agent: 'guide' });
const bob = scope('globex', 'bob');
const readOptions = () => ({ ...options(), evaluationTime: null });

let opened: ScriptedStore | null = null;
/** A pool that is closed counts no more. */
let isPoolClosed = false;
afterEach(async () => {
  const faults = opened?.stub.events.filter(({ what }) => what === 'fault') ?? [];
  if (opened !== null && !isPoolClosed) {
    const { engine, stub } = opened;
    // Whatever a test did: nothing is lent any more, and the pool counts the sockets that stand.
    await vi.waitUntil(() => {
      const { open: standing, lent } = engine.pool.counts();
      return lent === 0 && standing === stub.openSockets();
    });
  }
  await opened?.close();
  opened = null;
  isPoolClosed = false;
  if (faults.length > 0) throw new Error(`the scripted server met what it does not know: ${JSON.stringify(faults)}`);
});

/** A store whose schema was looked at, so that what is seen afterwards is the test's own. */
async function open(answers: Answers = {}, given: Parameters<typeof openScripted>[1] = {}): Promise<ScriptedStore> {
  opened = await openScripted(answers, given);
  await opened.store.read(jane, readOptions(), async () => {});
  opened.forget();
  return opened;
}

const collections = (given: ScriptedStore, as = jane, more: object = {}) =>
  given.store.read(as, { ...readOptions(), ...more }, (reader) => reader.collections());

/** A turn that the database took. */
const appended = (): StubReply => ({
  result: [{ event_id: 'e1', turn_index: 1, created_at: '2026-09-28T12:00:00.000001Z' }],
});
const append = (given: ScriptedStore) =>
  given.store.write(jane, options(), (writer) => writer.appendEvent(event({ eventType: 'user_msg' })));

/** Once hangs or fails as told, then answers as usual. */
function once(reply: StubReply): (call: StubCall) => StubReply {
  let isFirst = true;
  return () => {
    if (!isFirst) return { columns: { collection: 'text' }, rows: [{ collection: 'papers' }] };
    isFirst = false;
    return reply;
  };
}

describe('the bracket over a scripted server (what SQL means is not proved here)', () => {
  it('[N1] a read enters, works, rolls back and leaves, and the next one has the same connection', async () => {
    const given = await open();
    expect(await collections(given)).toEqual([]);
    await collections(given, bob);
    expect(given.seen()).toEqual(
      [
        ['1 enter_read', '1 collections', '1 rollback', '1 leave'],
        ['1 enter_read', '1 collections', '1 rollback', '1 leave'],
      ].flat(),
    );
    expect(given.engine.pool.counts()).toEqual({ open: 1, lent: 0 });
  });

  it('[N1] a write commits before it rolls back and leaves', async () => {
    const given = await open({ append_turn: appended });
    expect((await append(given)).turnIndex).toBe(1);
    expect(given.seen()).toEqual(['1 enter_write', '1 append_turn', '1 commit', '1 rollback', '1 leave']);
  });

  it('[N1] an operator enters and leaves by the package that is the operator’s alone', async () => {
    const given = await open();
    await given.store.operate(operator('acme'), options(), (writer) => writer.countRows());
    await given.store.inspect(operator('acme'), options(), (reader) => reader.countRows());
    expect(given.seen()).toEqual(
      [
        ['1 enter_operator', '1 count_rows', '1 commit', '1 rollback', '1 leave_operator'],
        ['1 enter_operator_read', '1 count_rows', '1 rollback', '1 leave_operator'],
      ].flat(),
    );
  });

  it('[N1] an exception in the work is rolled back and left like everything else', async () => {
    const given = await open({ append_turn: appended });
    const work = given.store.write(jane, options(), async (writer) => {
      await writer.appendEvent(event({ eventType: 'user_msg' }));
      throw new Error('the caller failed');
    });
    await expect(work).rejects.toMatchObject({ code: 'internal' });
    expect(given.seen()).toEqual(['1 enter_write', '1 append_turn', '1 rollback', '1 leave']);
    expect(given.engine.pool.counts()).toEqual({ open: 1, lent: 0 });
  });

  it('[N1] the session is tagged with the call for whoever administers the database', async () => {
    const calls: StubCall[] = [];
    const given = await open({
      collections(call) {
        calls.push(call);
        return { columns: { collection: 'text' }, rows: [] };
      },
    });
    await collections(given, jane, { requestId: 'request-7' });
    expect(calls.map(({ tags, login }) => ({ ...tags, user: login.user }))).toEqual([
      { clientId: 'request-7', module: 'context-assembly-memory', action: 'read', user: 'mem_app' },
    ]);
  });

  it('[N1] tenant, user and SCN of a statement come from the session, and times travel as text', async () => {
    const calls: StubCall[] = [];
    const given = await open({
      guidelines(call) {
        calls.push(call);
        return { columns: { id: 'text' }, rows: [] };
      },
    });
    const at = instant('2026-09-28T12:00:00.123456Z');
    await given.store.read(jane, { ...readOptions(), evaluationTime: at }, (reader) => reader.guidelines());
    expect(calls[0]?.binds).toEqual({
      agent_id: 'guide',
      thread_id: 'main',
      at_time: '2026-09-28T12:00:00.123456Z',
      tenant_id: 'acme',
      user_id: 'jane',
      scn: 4711,
    });
    expect(process.env['ORA_SDTZ'], 'the environment is nobody’s to change').toBeUndefined();
  });

  it('[N1,N8] a cancelled call interrupts its statement; an answered interrupt keeps the connection', async () => {
    const given = await open({ collections: once('hang') });
    const caller = new AbortController();
    const call = collections(given, jane, { signal: caller.signal });
    await expect.poll(() => given.seen()).toContain('1 collections');
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(await collections(given)).toEqual(['papers']);
    expect(given.seen()).toEqual(
      [
        ['1 enter_read', '1 collections', '1 break', '1 rollback', '1 leave'],
        ['1 enter_read', '1 collections', '1 rollback', '1 leave'],
      ].flat(),
    );
  });

  it('[N1,N8] a statement over its time is interrupted; an answered interrupt keeps the connection', async () => {
    const given = await open({ collections: once('hang') }, { statementMs: 150 });
    await expect(collections(given)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await collections(given)).toEqual(['papers']);
    expect(given.seen().map((line) => line.split(' ')[0])).toEqual(Array.from({ length: 9 }, () => '1'));
  });

  it('[N1,N8] a server that does not answer the interrupt loses the connection, which is never lent again', async () => {
    let answers = true;
    const given = await open({ collections: once('hang') }, { statementMs: 150, answersBreaks: () => answers });
    answers = false;
    await expect(collections(given)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await expect.poll(() => given.seen()).toContain('1 closed');
    expect(given.engine.pool.counts()).toEqual({ open: 0, lent: 0 });
    expect(await collections(given)).toEqual(['papers']);
    expect(given.seen().filter((line) => line.endsWith('leave'))).toEqual(['2 leave']);
    expect(given.engine.pool.counts()).toEqual({ open: 1, lent: 0 });
  });

  it('[N1,N8] so does a deadline of the caller, and a cancelled call', async () => {
    const given = await open({ collections: () => 'hang' }, { answersBreaks: () => false });
    await expect(collections(given, jane, { deadlineMs: 100 })).rejects.toMatchObject({ code: 'deadline_exceeded' });
    const caller = new AbortController();
    const call = collections(given, jane, { signal: caller.signal });
    await expect.poll(() => given.seen()).toContain('2 collections');
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => given.stub.openSockets()).toBe(0);
    expect(given.engine.pool.counts()).toEqual({ open: 0, lent: 0 });
  });

  it.each([
    ['fails', { error: [28267, 'ORA-28267: Invalid NameSpace Value'] }],
    ['is not answered', 'hang'],
    ['ends the socket', 'kill'],
  ] as const)('[N1] a connection whose clearing %s is given up, and what was done stands', async (_, reply) => {
    let fails = false;
    const given = await open({ append_turn: appended, leave: () => (fails ? reply : { affected: 0 }) });
    fails = true;
    expect((await append(given)).eventId).toBe('e1');
    fails = false;
    await expect.poll(() => given.stub.openSockets()).toBe(0);
    await collections(given, bob);
    expect(given.seen().filter((line) => line.startsWith('1 '))).not.toContain('1 enter_read');
    expect(given.seen()).toContain('2 collections');
    expect(given.engine.pool.counts()).toEqual({ open: 1, lent: 0 });
  });

  it('[N1] a context that was never set lets nothing be done', async () => {
    const given = await open({
      enter_read: () => ({ error: [20001, 'ORA-20001: a context needs a tenant and a user'] }),
    }).catch((error: unknown) => error);
    expect(given).toMatchObject({ code: 'internal' });
    expect(opened?.seen().filter((line) => line.includes('collections'))).toEqual([]);
    expect(opened?.seen().slice(-2)).toEqual(['1 rollback', '1 leave']);
  });

  it('[N8] a read whose socket ends is read again on a fresh connection, with a fresh snapshot', async () => {
    const given = await open({ collections: once('kill') });
    expect(await collections(given)).toEqual(['papers']);
    expect(given.seen()).toEqual(
      [
        ['1 enter_read', '1 collections', '1 closed'],
        ['2 login', '2 enter_read', '2 collections', '2 rollback', '2 leave'],
      ].flat(),
    );
    expect(given.engine.pool.counts()).toEqual({ open: 1, lent: 0 });
  });

  it('[N8] a write whose socket ends is not repeated, unless it had not begun', async () => {
    let dies = true;
    const given = await open({
      append_turn: () => (dies ? 'kill' : appended()),
      enter_write: () => (dies ? { result: [{}] } : 'kill'),
    });
    await expect(append(given)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(given.seen().filter((line) => line.includes('append_turn'))).toHaveLength(1);
    dies = false;
    given.forget();
    await expect(append(given)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(given.seen().filter((line) => line.includes('enter_write'))).toHaveLength(5);
    expect(given.engine.pool.counts()).toEqual({ open: 0, lent: 0 });
  });

  it('[N8] a connection that ended while nobody had it costs nobody a call', async () => {
    const given = await open();
    given.stub.kill(1);
    await expect.poll(() => given.stub.openSockets()).toBe(0);
    expect(await collections(given)).toEqual([]);
    expect(given.seen()).toContain('2 collections');
  });

  it('[N8] a commit without an answer is of unknown outcome, and a refused one is not', async () => {
    let reply: StubReply = 'kill';
    const given = await open(
      { append_turn: appended },
      { ending: (_, ending) => (ending === 'commit' ? reply : { affected: 0 }) },
    );
    await expect(append(given)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(given.seen().filter((line) => line.endsWith('commit'))).toHaveLength(1);
    reply = { error: [2091, 'ORA-02091: transaction rolled back'] };
    await expect(append(given)).rejects.toMatchObject({ code: 'internal' });
    expect(given.seen().filter((line) => line.endsWith('commit'))).toHaveLength(2);
  });

  it('[N8] a commit is not interrupted, and one that stays silent ends with its connection', async () => {
    const given = await open(
      { append_turn: appended },
      { statementMs: 200, ending: (_, ending) => (ending === 'commit' ? 'hang' : { affected: 0 }) },
    );
    await expect(append(given)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(given.seen()).not.toContain('1 break');
    expect(given.engine.pool.counts()).toEqual({ open: 0, lent: 0 });
  });

  it('[N8] calls stand in line for few connections, and the line has an end', async () => {
    const given = await open({ collections: () => 'hang' }, { most: 1, waitMs: 150, answersBreaks: () => true });
    const caller = new AbortController();
    const first = collections(given, jane, { signal: caller.signal });
    await expect(collections(given, bob)).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(collections(given, bob, { deadlineMs: 50 })).rejects.toMatchObject({ code: 'deadline_exceeded' });
    caller.abort();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    expect(given.seen().filter((line) => line.startsWith('2'))).toEqual([]);
  });

  it('[N1] whatever goes wrong, no statement runs under the context of another caller', async () => {
    // The server keeps each connection's context as a database would.
    const contexts = new Map<number, string>();
    const mistakes: string[] = [];
    const faults: readonly (StubReply | null)[] = [
      null,
      'kill',
      'hang',
      { error: [600, 'ORA-00600'] },
      { error: [1, 'ORA-00001'] },
    ];
    let count = 0;
    const fault = (): StubReply | null => faults[(count += 1) % faults.length] ?? null;
    const enter = (call: StubCall, reply: StubReply): StubReply => {
      if (contexts.has(call.connection))
        mistakes.push(`${call.connection} was lent with ${contexts.get(call.connection)}`);
      contexts.set(call.connection, String(call.binds['tenant_id']));
      return reply;
    };
    const given = await open(
      {
        enter_write: (call) => enter(call, { result: [{}] }),
        append_turn(call) {
          if (contexts.get(call.connection) !== call.binds['tenant_id'])
            mistakes.push(`a statement of ${String(call.binds['tenant_id'])}`);
          return fault() ?? appended();
        },
        leave(call) {
          const reply = fault();
          if (reply !== null && count % 2 === 0) return reply;
          contexts.delete(call.connection);
          return { affected: 0 };
        },
      },
      { most: 3, statementMs: 100 },
    );
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        given.store
          .write(scope(`tenant-${index % 5}`), options(), (writer) =>
            writer.appendEvent(event({ eventType: 'user_msg' })),
          )
          .catch(() => {}),
      ),
    );
    expect(mistakes).toEqual([]);
    expect(given.seen().filter((line) => line.endsWith('append_turn')).length).toBeGreaterThan(30);
    expect(given.engine.pool.counts().lent).toBe(0);
    expect(given.engine.pool.counts().open).toBeLessThanOrEqual(3);
  });

  it('[N8] a closed store turns calls away, and leaves no connection behind', async () => {
    const given = await open();
    await given.store.close();
    isPoolClosed = true;
    await expect(collections(given)).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect.poll(() => given.stub.openSockets()).toBe(0);
  });

  it('[N1] every statement that the adapter sends has a file', async () => {
    const given = await open();
    await collections(given);
    const statements = given.stub.events.filter(({ what }) => what === 'statement').map(({ detail }) => nameOf(detail));
    expect(statements.filter((name) => !/^[a-z_]+$/.test(name))).toEqual([]);
  });
});
