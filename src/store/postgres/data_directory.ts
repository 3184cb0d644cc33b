// Design N7 and N6: one process at a time owns an embedded data directory; a lock is taken over from the dead alone.
//
// The lock is a row of numbered files of which the highest one counts: it says who holds the directory, or that nobody
// does. Whoever wants it creates the next number, which the file system grants to one of two takers; numbers never go
// back, and the highest file is never removed, so that nobody can act on what was true a moment ago.

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MemoryError } from '../../model/errors.ts';
import { currentProcess, judgeHolder } from './process_identity.ts';
import type { ProcessIdentity } from './process_identity.ts';

/** The PostgreSQL whose files this version writes and opens. */
export const postgresMajor = '18';

const lockFile = z.object({
  state: z.enum(['held', 'free']),
  pid: z.number().int(),
  startTime: z.string().nullable(),
  bootId: z.string().nullable(),
  pidNamespace: z.string().nullable(),
  host: z.string(),
  since: z.string(),
});

type LockFile = z.output<typeof lockFile>;

/** A directory that this process holds. */
export interface HeldDirectory {
  /** Where the database's own files are. */
  readonly databaseFolder: string;
  /** Says that the database opened: until then, what stands in its folder may be half made. */
  opened(): void;
  /** Gives the directory back. Safe to call twice. */
  release(): void;
}

/** What can be known of a data directory without opening it. */
export interface DirectoryState {
  /** False: there is no database in it yet. */
  readonly exists: boolean;
  /** Who holds it, in words for a person; null when nobody does, or a process that is dead for certain. */
  readonly holder: string | null;
  /** True when the holder was seen to be alive. */
  readonly alive: boolean;
}

const lockFolder = (directory: string): string => join(directory, 'owner');
// Stands there while a database is first made: what a process left that died meanwhile holds nothing of anybody.
const makingMark = (directory: string): string => join(directory, 'making');
const databaseFolder = (directory: string): string => join(directory, 'postgres');
const fileOf = (directory: string, generation: number): string =>
  join(lockFolder(directory), `${String(generation).padStart(9, '0')}.json`);

function generations(directory: string): readonly number[] {
  if (!existsSync(lockFolder(directory))) return [];
  return readdirSync(lockFolder(directory))
    .filter((name) => /^\d{9}\.json$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .toSorted((a, b) => a - b);
}

/** The generation that counts and what it says; null content is a file that cannot be read as a lock. */
function newest(directory: string): { readonly generation: number; readonly content: LockFile | null } {
  const generation = generations(directory).at(-1) ?? 0;
  if (generation === 0) return { generation, content: { ...describe('free') } };
  try {
    return { generation, content: lockFile.parse(JSON.parse(readFileSync(fileOf(directory, generation), 'utf8'))) };
  } catch (error) {
    // Between listing and reading, the next generation may have come and this one may be gone.
    if ((generations(directory).at(-1) ?? 0) !== generation) return newest(directory);
    if (error instanceof SyntaxError || error instanceof z.ZodError) return { generation, content: null };
    throw error;
  }
}

function describe(state: LockFile['state']): LockFile {
  return { state, ...currentProcess(), since: new Date().toISOString() };
}

/** Creates a generation with its whole content at once. False when somebody else has it, or a later one. */
function claim(directory: string, generation: number, content: LockFile): boolean {
  const path = fileOf(directory, generation);
  const draft = join(lockFolder(directory), `draft.${process.pid}.${randomBytes(6).toString('hex')}`);
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  if (generations(directory).at(-1) === generation) return true;
  rmSync(path, { force: true });
  return false;
}

/** Older generations say nothing any more; the one before the newest stays for whoever lists at this moment. */
function removeOlder(directory: string, generation: number): void {
  for (const old of generations(directory)) {
    if (old < generation - 1) rmSync(fileOf(directory, old), { force: true });
  }
}

/**
 * Takes the directory for this process, creating it for the user alone. Throws `store_locked` naming the holder, and
 * `invalid_configuration` for files of another PostgreSQL.
 */
export function holdDirectory(directory: string): HeldDirectory {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  mkdirSync(lockFolder(directory), { recursive: true, mode: 0o700 });
  const generation = acquire(directory);
  try {
    refuseOtherMajor(directory);
    prepareFolder(directory);
  } catch (error) {
    free(directory, generation);
    throw error;
  }
  let held = true;
  return {
    databaseFolder: databaseFolder(directory),
    opened: () => rmSync(makingMark(directory), { force: true }),
    release() {
      if (held) free(directory, generation);
      held = false;
    },
  };
}

function prepareFolder(directory: string): void {
  const folder = databaseFolder(directory);
  if (existsSync(makingMark(directory))) rmSync(folder, { recursive: true, force: true });
  if (!existsSync(join(folder, 'PG_VERSION'))) writeFileSync(makingMark(directory), '', { mode: 0o600, flush: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

function acquire(directory: string): number {
  for (;;) {
    const { generation, content } = newest(directory);
    if (content === null) throw locked(directory, null);
    if (content.state === 'held' && judgeHolder(content, currentProcess()) !== 'dead') {
      throw locked(directory, content);
    }
    if (claim(directory, generation + 1, describe('held'))) {
      removeOlder(directory, generation + 1);
      return generation + 1;
    }
  }
}

/** Says that nobody holds the directory, unless it went to somebody else meanwhile. */
function free(directory: string, generation: number): void {
  if (claim(directory, generation + 1, describe('free'))) removeOlder(directory, generation + 1);
}

function nameOf(content: LockFile): string {
  return `process ${content.pid} on host ${content.host} since ${content.since}`;
}

function locked(directory: string, content: LockFile | null): MemoryError {
  const wayOut = 'If that process is gone for certain, run: context-assembly-memory unlock';
  if (content === null) {
    return new MemoryError('store_locked', `The lock of ${directory} cannot be read. ${wayOut}`, { directory });
  }
  const alive = judgeHolder(content, currentProcess()) === 'alive';
  const advice = alive ? 'Stop it, or give this process a data directory of its own.' : wayOut;
  return new MemoryError('store_locked', `${directory} is held by ${nameOf(content)}. ${advice}`, {
    directory,
    pid: content.pid,
    host: content.host,
    since: content.since,
    alive,
  });
}

/** Takes the lock away, whoever holds it: for what a machine cannot know. The caller has asked a person. */
export function unlock(directory: string): void {
  while (existsSync(lockFolder(directory))) {
    const { generation, content } = newest(directory);
    if (generation === 0 || content?.state === 'free') return;
    if (claim(directory, generation + 1, describe('free'))) return removeOlder(directory, generation + 1);
  }
}

/** Looks at a directory without taking it. */
export function directoryState(directory: string): DirectoryState {
  const exists = existsSync(join(databaseFolder(directory), 'PG_VERSION')) && !existsSync(makingMark(directory));
  const { content } = newest(directory);
  if (content === null) return { exists, holder: 'somebody whose lock cannot be read', alive: false };
  const state = content.state === 'free' ? 'dead' : judgeHolder(content satisfies ProcessIdentity, currentProcess());
  return { exists, holder: state === 'dead' ? null : nameOf(content), alive: state === 'alive' };
}

function refuseOtherMajor(directory: string): void {
  for (const folder of [databaseFolder(directory), directory]) {
    const path = join(folder, 'PG_VERSION');
    if (!existsSync(path)) continue;
    const major = readFileSync(path, 'utf8').trim();
    if (folder === databaseFolder(directory) && major === postgresMajor) return;
    throw new MemoryError(
      'invalid_configuration',
      `${folder} holds files of PostgreSQL ${major}, which this version does not open: it writes PostgreSQL ${postgresMajor} into a folder of its own. Export them with the version that wrote them, or set CONTEXT_DATA_DIR to another folder.`,
      { directory, major, expected: postgresMajor },
    );
  }
}
