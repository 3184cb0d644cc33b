// Runs the program as a user does: a process of its own, with an environment that holds nothing of ours.
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptFile } from '../store/kept_copy.ts';

export const projectRoot = join(import.meta.dirname, '..', '..');

/** What Node is given to run the program: from its sources, or with TEST_BUILT_PROGRAM=1 as it was just built. */
const programArguments: readonly string[] =
  process.env['TEST_BUILT_PROGRAM'] === '1'
    ? [join(projectRoot, 'dist', 'main.js')]
    : ['--import', import.meta.resolve('tsx'), join(projectRoot, 'src', 'main.ts')];

/** What JSON text holds; tests read it without ceremony. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Outcome>;
  /** Resolves when stderr holds the text; rejects when the process ends before. */
  said(text: string): Promise<void>;
}

/** A temporary folder that `discard` removes. */
export function temporaryFolder(): { readonly path: string; readonly discard: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'context-command-'));
  return { path, discard: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) };
}

/** What a program left, to begin from. */
export interface StoreTemplate {
  /** A data directory of its own with what the commands left; at `target`, which must not exist, if that is given. */
  readonly copy: (target?: string) => string;
  readonly discard: () => void;
}

/** Makes a store with these commands, once in a run of the tests: in another file the same commands cost a copy. */
export async function storeTemplate(commands: readonly (readonly string[])[]): Promise<StoreTemplate> {
  const { path, discard } = temporaryFolder();
  const kept = keptFile(['directory', ...commands.map((command) => JSON.stringify(command))]);
  const template = kept !== null && existsSync(kept) ? kept : await made(commands, join(path, 'template'), kept);
  let copies = 0;
  const copy = (target = join(path, `copy ${(copies += 1)}`)) => {
    cpSync(template, target, { recursive: true });
    return target;
  };
  return { copy, discard };
}

async function made(commands: readonly (readonly string[])[], template: string, kept: string | null): Promise<string> {
  for (const command of commands) {
    const { code, stderr } = await run(command, { CONTEXT_DATA_DIR: template });
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stderr}`);
  }
  // While a process holds it, a copy would be of half a database.
  await run(['stop'], { CONTEXT_DATA_DIR: template });
  if (kept !== null && !existsSync(kept)) {
    const unfinished = `${kept}.${process.pid}`;
    cpSync(template, unfinished, { recursive: true });
    try {
      renameSync(unfinished, kept);
    } catch {
      // Another worker was faster, and its directory is as good.
    }
  }
  return template;
}

function environment(given: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:CONTEXT_|XDG_|VITEST|NODE_OPTIONS|FORCE_COLOR|NO_COLOR)/.test(name),
  );
  // What holds a test's directory in the background is not to outlive it by much.
  return { ...Object.fromEntries(inherited), CONTEXT_OWNER_IDLE_SECONDS: '3', ...given };
}

/** Starts the program; its stdin stays open. */
export function start(args: readonly string[], given: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [...programArguments, ...args], {
    env: environment(given),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => {});
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const said = async (text: string) => {
    while (!stderr.includes(text)) {
      const gone = child.exitCode !== null || child.signalCode !== null;
      if (gone) throw new Error(`ended without saying ${JSON.stringify(text)}; stderr: ${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { child, ended, said };
}

/** Runs the program to its end with this input. */
export async function run(
  args: readonly string[],
  given: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Outcome> {
  const running = start(args, given);
  running.child.stdin.end(input);
  return running.ended;
}

/** Runs a command with `--json` and gives its one value. */
export async function runJson(
  args: readonly string[],
  given: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Outcome & { readonly json: Parsed }> {
  const outcome = await run([...args, '--json'], given, input);
  return { ...outcome, json: JSON.parse(outcome.stdout) };
}
