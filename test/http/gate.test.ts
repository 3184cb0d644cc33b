// Who runs now: tenants in turn, nobody beyond the bounds, nobody forgotten.
import { describe, expect, it } from 'vitest';
import { createGate, createTurns, type Gate, type Ticket } from '../../src/transport/http_gate.ts';

const limits = { running: 2, runningOfTenant: 2, waiting: 100, waitingOfTenant: 50, waitMs: 5_000 };
const always = new AbortController().signal;

/** Asks for a place and notes when it was given. */
function asker(gate: Gate) {
  const order: string[] = [];
  const held: Ticket[] = [];
  const ask = async (tenant: string, weight = 1) => {
    const ticket = await gate.enter(tenant, weight, always);
    if (typeof ticket === 'string') return ticket;
    order.push(tenant);
    held.push(ticket);
    return ticket;
  };
  const leaveOne = async () => {
    held.shift()?.leave();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { order, held, ask, leaveOne };
}

describe('the gate', () => {
  it('serves tenants in turn, however many of one came first', async () => {
    const gate = createGate(limits);
    const { order, held, ask, leaveOne } = asker(gate);
    const asked = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'c', 'b'].map((tenant) => ask(tenant));
    await new Promise((resolve) => setImmediate(resolve));
    while (held.length > 0) await leaveOne();
    await Promise.all(asked);
    expect(order.join('')).toBe('aaabcabaa');
    expect(gate.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it('lets no tenant take all places', async () => {
    const gate = createGate({ ...limits, running: 3, runningOfTenant: 2 });
    const { ask, order, leaveOne } = asker(gate);
    const third = ask('a');
    await ask('a');
    const waiting = ask('a');
    await ask('b');
    expect(order).toEqual(['a', 'a', 'b']);
    await leaveOne();
    await Promise.all([third, waiting]);
    expect(order).toEqual(['a', 'a', 'b', 'a']);
  });

  it('counts several requests at once as several, up to what a tenant may run at all', async () => {
    const gate = createGate(limits);
    const { ask } = asker(gate);
    await ask('a', 100);
    expect(gate.counts().running).toBe(2);
  });

  it('lends a place out and takes it back, also when it has been given to another', async () => {
    const gate = createGate({ ...limits, running: 1, runningOfTenant: 1 });
    const { ask } = asker(gate);
    const first = (await ask('a')) as Ticket;
    const next = ask('a');
    first.pause();
    const second = (await next) as Ticket;
    first.resume();
    expect(gate.counts().running).toBe(2);
    const third = ask('b');
    second.leave();
    expect(gate.counts()).toEqual({ running: 1, waiting: 1 });
    first.leave();
    first.resume();
    first.leave();
    ((await third) as Ticket).leave();
    expect(gate.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it('forgets whoever goes, or waits too long', async () => {
    const gate = createGate({ ...limits, running: 1, waitMs: 30 });
    const first = (await gate.enter('a', 1, always)) as Ticket;
    const leaving = new AbortController();
    const gone = gate.enter('b', 1, leaving.signal);
    const late = gate.enter('c', 1, always);
    leaving.abort();
    expect(await gone).toBe('gone');
    expect(await gate.enter('b', 1, leaving.signal)).toBe('gone');
    expect(await late).toBe('server_busy');
    first.leave();
    expect(gate.counts()).toEqual({ running: 0, waiting: 0 });
    expect(typeof (await gate.enter('b', 1, always))).toBe('object');
  });

  it('keeps lines short', async () => {
    const gate = createGate({ ...limits, running: 1, waiting: 2, waitingOfTenant: 1 });
    const first = (await gate.enter('a', 1, always)) as Ticket;
    const waiting = [gate.enter('a', 1, always), gate.enter('b', 1, always)];
    expect(await gate.enter('a', 1, always)).toBe('tenant_busy');
    expect(await gate.enter('c', 1, always)).toBe('server_busy');
    first.leave();
    for (const ticket of waiting) ((await ticket) as Ticket).leave();
    expect(gate.counts()).toEqual({ running: 0, waiting: 0 });
  });
});

describe('turns', () => {
  it('let one after the other begin, each in a round of the loop of its own', async () => {
    const nextTurn = createTurns();
    let round = 0;
    const count = () => {
      round += 1;
      if (round < 20) setImmediate(count);
    };
    setImmediate(count);
    const begun: (readonly [number, number])[] = [];
    const places = [0, 1, 2, 3];
    await Promise.all(places.map(async (place) => nextTurn().then(() => void begun.push([place, round]))));
    expect(begun.map(([place]) => place)).toEqual(places);
    expect(new Set(begun.map(([, when]) => when)).size).toBe(places.length);
  });
});
