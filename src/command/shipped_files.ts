// Files that come with the program, and JSON files that a person names.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryError } from '../model/errors.ts';

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
  return readJsonFile(join(seedFolder, `${name}.json`), `${name}.json`);
}

/** Reads a JSON file. Throws `invalid_seed` when it cannot be read or is no JSON; it is named in the message. */
export async function readJsonFile(path: string, name = path): Promise<JsonFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new MemoryError(
      'invalid_seed',
      `The file ${name} cannot be read: ${reasonOf(error)}.`,
      { file: name },
      error,
    );
  }
  return parseJsonFile(name, text);
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

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it';
  return typeof code === 'string' ? code : 'unknown reason';
}
