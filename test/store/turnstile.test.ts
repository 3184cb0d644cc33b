// The line before one connection (design N8, N1): order, leaving, closing, and no use inside a use.

import { describe, expect, it } from 'vitest';
import { createTurnstile } from '../../src/store/turnstile.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const call = { requestId: 'r' };

describe('turnstile', () => {
  it('[N8] lets one in at a time, in the order of their coming', async () => {
    const turnstile = createTurnstile();
    const seen: number[] = [];
    let inside = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        turnstile.enter(call, async () => {
          inside += 1;
          expect(inside).toBe(1);
          await pause(1);
          seen.push(index);
          inside -= 1;
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it('[N8] a waiting caller can give up or run out of time, and those behind move on', async () => {
    const turnstile = createTurnstile();
    const controller = new AbortController();
    const first = turnstile.enter(call, () => pause(60));
    const cancelled = turnstile.enter({ ...call, signal: controller.signal }, async () => 'no');
    const late = turnstile.enter({ ...call, deadlineMs: 20 }, async () => 'no');
    const patient = turnstile.enter({ ...call, deadlineMs: 5000 }, async () => 'yes');
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await patient).toBe('yes');
    await first;
    await expect(turnstile.enter({ ...call, signal: controller.signal }, async () => 'no')).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('[N8] lets in as many at a time as it has places, keeps their order, and ends a wait without a deadline', async () => {
    const turnstile = createTurnstile({ places: 3, longestLine: 10, longestWaitMs: 40 });
    let [inside, most] = [0, 0];
    const began: number[] = [];
    const visit = (number: number, ms: number) =>
      turnstile.enter(call, async () => {
        began.push(number);
        most = Math.max(most, (inside += 1));
        await pause(ms);
        inside -= 1;
      });
    await Promise.all([0, 1, 2, 3, 4, 5].map((number) => visit(number, 10)));
    expect([most, began]).toEqual([3, [0, 1, 2, 3, 4, 5]]);
    const long = [1, 2, 3].map((number) => visit(number, 120));
    await expect(visit(4, 1)).rejects.toMatchObject({ code: 'store_unavailable' });
    await turnstile.shut();
    await Promise.all(long);
  });

  it('[N8] refuses more waiting callers than it has room for', async () => {
    const turnstile = createTurnstile();
    let open = (): void => {};
    const first = turnstile.enter(call, () => new Promise<void>((resolve) => (open = resolve)));
    const waiting = Array.from({ length: 2000 }, () => turnstile.enter(call, async () => {}));
    await expect(turnstile.enter(call, async () => {})).rejects.toMatchObject({ code: 'store_unavailable' });
    open();
    await Promise.all([first, ...waiting]);
  });

  it('[N1] goes on after a failure inside', async () => {
    const turnstile = createTurnstile();
    await expect(turnstile.enter(call, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await turnstile.enter(call, async () => 'next')).toBe('next');
  });

  it('refuses a use inside a use, which would wait for itself, but not what was only begun there', async () => {
    const turnstile = createTurnstile();
    let later: Promise<string> | undefined;
    await turnstile.enter(call, async () => {
      await expect(turnstile.enter(call, async () => {})).rejects.toMatchObject({ code: 'internal' });
      later = pause(20).then(() => turnstile.enter(call, async () => 'fine'));
    });
    expect(await later).toBe('fine');
  });

  it('turns everybody away when it is shut, and waits for whoever is inside', async () => {
    const turnstile = createTurnstile();
    const done: string[] = [];
    const inside = turnstile.enter(call, async () => {
      await pause(30);
      done.push('inside');
    });
    const waiting = turnstile.enter(call, async () => {});
    const refused = waiting.catch((error: unknown) => error);
    await turnstile.shut();
    expect(done).toEqual(['inside']);
    expect(await refused).toMatchObject({ code: 'store_unavailable' });
    await inside;
    await expect(turnstile.enter(call, async () => {})).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
