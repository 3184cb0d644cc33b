// Files that come with the program, and JSON files that a person names.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryError } from '../model/errors.ts';
import type { Context } from './command.ts';

// The same distance from src/command and from dist/command.
const seedFolder = join(import.meta.dirname, '..', '..', 'seeds');

/** The demo's seeds, in the order in which they are written. */
export const demoSeeds = [
  'acme_policy',
  'acme_memory',
  'acme_sam_twins',
  'globex',
  'corpus_research',
  'corpus_platform',
] as const;

/** A file with its parsed content. */
export interface JsonFile {
  readonly name: string;
  readonly json: unknown;
}

/** A seed of ours by its name without ending. */
export async function shippedSeed(name: string): Promise<JsonFile> {
  const path = join(seedFolder, `${name}.json`);
  return parseJsonFile(`${name}.json`, await readText(`${name}.json`, readFile(path, 'utf8')));
}

/** Reads a JSON file that a person named. Throws `invalid_seed` when it cannot be read or is no JSON, with its name. */
export async function readNamedFile(context: Pick<Context, 'readFile'>, path: string): Promise<JsonFile> {
  return parseJsonFile(path, await readText(path, context.readFile(path)));
}

async function readText(name: string, reading: Promise<string>): Promise<string> {
  try {
    return await reading;
  } catch (error) {
    throw new MemoryError(
      'invalid_seed',
      `The file ${name} cannot be read: ${reasonOf(error)}.`,
      { file: name },
      error,
    );
  }
}

/** Parses a file's text. Throws `invalid_seed`. */
export function parseJsonFile(name: string, text: string): JsonFile {
  try {
    return { name, json: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    // The parser's message quotes the file, which may hold anything; the place alone is told.
    const place =
      error instanceof Error ? /position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0] : undefined;
    throw new MemoryError('invalid_seed', `The file ${name} is no JSON${place === undefined ? '' : `, at ${place}`}.`, {
      file: name,
    });
  }
}

/** What the system said of a file that cannot be read, in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it';
  return typeof code === 'string' ? code : 'unknown reason';
}
