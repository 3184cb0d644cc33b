// What the relay keeps account of, and the bytes on the socket, each looked at for itself.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createLedger } from '../../src/owner/ledger.ts';
import { lineReader } from '../../src/owner/lines.ts';
import { openLogFile } from '../../src/owner/log_file.ts';
import { frame, frameReader, frames } from '../../src/owner/protocol.ts';
import { temporaryFolder } from '../command/run_program.ts';

const bytes = (message: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const read = (messages: readonly Buffer[]) => messages.map((message) => JSON.parse(message.toString('utf8')));

describe('the account of a session', () => {
  it('tells a new owner the handshake and the open reads, and the host which calls nobody knows of', () => {
    const ledger = createLedger();
    ledger.toOwner(bytes({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } }));
    ledger.toHost(bytes({ id: 0, result: {} }));
    ledger.toOwner(bytes({ method: 'notifications/initialized' }));
    ledger.toOwner(bytes({ id: 1, method: 'tools/list' }));
    ledger.toOwner(bytes({ id: 'two', method: 'tools/call', params: { name: 'x' } }));
    ledger.toOwner(bytes({ id: 3, method: 'resources/read' }));
    ledger.toHost(bytes({ id: 3, result: {} }));
    const told = ledger.lost();
    expect(told).toMatchObject([{ id: 'two', result: { isError: true } }]);
    expect(JSON.stringify(told)).toContain('outcome_unknown');
    expect(ledger.isOwed()).toBe(true);
    const replayed = read(ledger.replay());
    expect(replayed.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
    // The answer to the repeated handshake is for nobody.
    expect(ledger.toHost(bytes({ id: replayed[0].id, result: {} }))).toBeNull();
    expect(ledger.toHost(bytes({ id: 1, result: {} }))).not.toBeNull();
    expect(ledger.isOwed()).toBe(false);
  });

  it('repeats a handshake that was not answered as the host wrote it', () => {
    const ledger = createLedger();
    ledger.toOwner(bytes({ id: 7, method: 'initialize' }));
    expect(ledger.lost()).toEqual([]);
    expect(read(ledger.replay())).toEqual([{ jsonrpc: '2.0', id: 7, method: 'initialize' }]);
  });

  it('withdraws questions of a dead owner, and never takes their answers for those of the next', () => {
    const ledger = createLedger();
    expect(read([ledger.toHost(bytes({ id: 0, method: 'elicitation/create' }))!])).toMatchObject([{ id: 0 }]);
    expect(ledger.lost()).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 0 } }]);
    const [asked] = read([ledger.toHost(bytes({ id: 0, method: 'elicitation/create' }))!]);
    expect(asked.id).not.toBe(0);
    expect(ledger.toOwner(bytes({ id: 0, result: { action: 'accept' } }))).toBeNull();
    expect(read([ledger.toOwner(bytes({ id: asked.id, result: { action: 'accept' } }))!])).toMatchObject([{ id: 0 }]);
  });

  it('needs no new owner for a subscription alone, and forgets what the host withdrew', () => {
    const ledger = createLedger();
    ledger.toOwner(bytes({ id: 1, method: 'subscriptions/listen' }));
    ledger.toOwner(bytes({ id: 2, method: 'tools/list' }));
    ledger.toOwner(bytes({ method: 'notifications/cancelled', params: { requestId: 2 } }));
    ledger.lost();
    expect(ledger.isOwed()).toBe(false);
    expect(read(ledger.replay()).map(({ id }) => id)).toEqual([1]);
  });

  it.each(['not json', '[1]', 'null', '""', '7'])('passes on %s untouched', (text) => {
    const ledger = createLedger();
    const line = Buffer.from(`${text}\n`);
    expect(ledger.toOwner(line)).toBe(line);
    expect(ledger.toHost(line)).toBe(line);
  });
});

/** The same bytes in pieces that end anywhere. */
function inPieces(whole: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0, place = 0; from < whole.length; place += 1) {
    const size = sizes.length === 0 ? whole.length : (sizes[place % sizes.length] ?? 1);
    pieces.push(whole.subarray(from, from + size));
    from += size;
  }
  return pieces;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 });

describe('bytes in pieces', () => {
  it('become the frames that were sent', () => {
    const sent = fc.array(fc.tuple(fc.constantFrom(...Object.values(frames)), fc.uint8Array({ maxLength: 60 })));
    fc.assert(
      fc.property(sent, sizes, (messages, cuts) => {
        const got: [string, string][] = [];
        const take = frameReader((kind, payload) => got.push([kind, payload.toString('hex')]));
        for (const piece of inPieces(Buffer.concat(messages.map(([kind, body]) => frame(kind, body))), cuts))
          take(piece);
        expect(got).toEqual(messages.map(([kind, body]) => [kind, Buffer.from(body).toString('hex')]));
      }),
    );
  });

  it('become the lines that were written, and a line beyond the limit is not kept', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 })), sizes, (texts, cuts) => {
        const lines = texts.map((text) => `${text.replaceAll('\n', '')}\n`);
        const got: string[] = [];
        const take = lineReader(10_000, (line) => got.push(line.toString('utf8')));
        for (const piece of inPieces(Buffer.from(lines.join('')), cuts)) take(piece);
        expect(got).toEqual(lines);
      }),
    );
    const got: number[] = [];
    const take = lineReader(100, (line) => got.push(line.length));
    expect(take(Buffer.alloc(60, 'x'))).toBe(false);
    expect(take(Buffer.alloc(60, 'x'))).toBe(true);
    expect(got).toEqual([120]);
  });
});

describe('the log file', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.discard());

  it('never grows beyond its limit and keeps one older file', () => {
    const path = join(folder.path, 'owner.log');
    const write = openLogFile(path, 100);
    for (let place = 0; place < 30; place += 1) write(`line ${String(place).padStart(4, '0')} of the log\n`);
    expect(statSync(path).size).toBeLessThanOrEqual(100);
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(100);
    expect(readFileSync(path, 'utf8')).toContain('line 0029');
    expect(existsSync(`${path}.2`)).toBe(false);
  });

  it('[N7] that cannot be written stops nothing', () => {
    expect(() => openLogFile(join(folder.path, 'none', 'owner.log'))('line\n')).not.toThrow();
    if (existsSync('/dev/full')) expect(() => openLogFile('/dev/full')('line\n')).not.toThrow();
  });
});
