// Starts the owner of a data directory in the background; of many that want one at once, one starts it.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { logPath } from './log_file.ts';
import type { WireFailure } from './protocol.ts';

/** File descriptor on which a started owner says how it went, in one line of JSON. */
export const reportDescriptor = 3;

/** How a start went: null when an owner listens, or when somebody else is starting one. */
export type StartOutcome = WireFailure | null;

const startDeadlineMs = 20_000;

// The same distance from src/owner and from dist/owner.
const packageFolder = join(import.meta.dirname, '..', '..');
const program = join(import.meta.dirname, '..', `main${extname(import.meta.filename)}`);

/** What an owner reads of its starter's variables: nothing of whom the starter serves, and no key. */
const passedOn = new Set(['CONTEXT_ENGINE', 'CONTEXT_LOG_LEVEL', 'CONTEXT_OWNER_IDLE_SECONDS']);

/** Starts an owner unless somebody else is at it, and waits until it listens or has failed. */
export async function startOwner(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<StartOutcome> {
  if (!claimStart(directory)) return null;
  try {
    return await reportOf(spawnOwner(directory, environment));
  } finally {
    quiet(() => rmSync(startMark(directory), { force: true }));
  }
}

const startMark = (directory: string): string => join(directory, 'owner.starting');

/** False while another process is starting one. Two starts at once would do no harm: the lock lets one through. */
function claimStart(directory: string): boolean {
  quiet(() => mkdirSync(directory, { recursive: true, mode: 0o700 }));
  try {
    writeFileSync(startMark(directory), String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // Why the folder cannot be written is for the owner to find out and to say.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return true;
  }
  const isStarting = quiet(
    () =>
      Date.now() - statSync(startMark(directory)).mtimeMs < startDeadlineMs &&
      process.kill(Number(readFileSync(startMark(directory), 'utf8')), 0),
  );
  if (isStarting === true) return false;
  quiet(() => rmSync(startMark(directory), { force: true }));
  return true;
}

function spawnOwner(directory: string, environment: Readonly<Record<string, string | undefined>>): ChildProcess {
  const log = quiet(() => openSync(logPath(directory), 'a', 0o600));
  const own = Object.entries({ ...process.env, ...environment }).filter(
    ([name]) => !name.startsWith('CONTEXT_') || passedOn.has(name),
  );
  // What examines or watches this process is not for that one.
  const nodeOptions = process.execArgv.filter(
    (option) => !/^--(?:inspect|env-file|test|watch|prof|cpu-prof)/.test(option),
  );
  const child = spawn(process.execPath, [...nodeOptions, program, 'owner', '--background'], {
    cwd: packageFolder,
    detached: true,
    windowsHide: true,
    env: { ...Object.fromEntries(own), CONTEXT_DATA_DIR: directory },
    stdio: ['ignore', log ?? 'ignore', log ?? 'ignore', 'pipe'],
  });
  if (log !== null) closeSync(log);
  return child;
}

/** Reads the report of a started owner and lets it go. */
async function reportOf(child: ChildProcess): Promise<StartOutcome> {
  const pipe = child.stdio[reportDescriptor] as Readable;
  let report = '';
  const problem = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(() => resolve('did not listen in time'), startDeadlineMs);
    const done = (text: string | null) => {
      clearTimeout(timer);
      resolve(text);
    };
    pipe.setEncoding('utf8').on('data', (text: string) => {
      report += text;
      if (report.endsWith('\n')) done(null);
    });
    pipe.on('error', () => done('ended before it listened'));
    pipe.on('close', () => done('ended before it listened'));
    child.on('error', (error) => done(`could not be started (${error.message})`));
  });
  pipe.destroy();
  child.unref();
  if (report.endsWith('\n')) {
    const { failure }: { readonly failure: StartOutcome } = JSON.parse(report);
    return failure;
  }
  const message = `The process that holds the data directory ${problem}; its log is owner.log in the directory.`;
  return { code: 'store_unavailable', message, data: {} };
}

function quiet<Value>(act: () => Value): Value | null {
  try {
    return act();
  } catch {
    return null;
  }
}
