#!/usr/bin/env node
// The program's door: a host's stdio is relayed with as little loaded as can be; all else is the program's affair.

import { relayStdio } from './stdio_relay.ts';

const argv = process.argv.slice(2);
// An engine that lets many processes in needs nobody between; what nobody knows is refused by the program.
const relayed = await relayStdio(argv, (engine) => engine === '' || engine === 'embedded');
const exitCode = relayed ?? (await (await import('./this_process.ts')).runHere(argv));

/** Waits until what was written has left, so that ending the process cuts nothing off. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return;
  await new Promise<void>((resolve) => void stream.write('', () => resolve()));
}

await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(exitCode);
