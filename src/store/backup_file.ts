// The form of a backup's file: a first line that says what follows, a line of JSON about the copy, then the copy itself.
//
// The first line holds the number of the form and the SHA-256 of the second; the second holds length and SHA-256 of the
// rest, so that no changed byte goes unseen. The rest is a tar of the database's folder, packed by gzip: `tail -n +3`
// gives it to anybody.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { MemoryError } from '../model/errors.ts';

const format = 1;
const mark = 'context-assembly-memory backup';
const newline = 10;
/** More than both lines ever take; a file without them is not searched to its end. */
const longestHead = 65_536;

const headerLine = z.object({
  /** Version of the program that wrote it. */
  program: z.string(),
  created_at: z.string(),
  /** Number of the newest migration; 0: there was no schema yet. */
  schema: z.number().int().nonnegative(),
  postgres_major: z.string(),
  embedder: z.object({ id: z.string(), dimensions: z.number().int().positive() }).nullable(),
  /** The database it is a copy of (design N5). */
  incarnation: z.string().nullable(),
  /** Rows by table; null where the schema was not this program's. */
  rows: z.record(z.string(), z.number().int().nonnegative()).nullable(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
});

/** What a backup says of itself. */
export type BackupHeader = z.output<typeof headerLine>;

/** A backup that was found whole. */
export interface ReadBackup {
  readonly header: BackupHeader;
  /** The tar of the database's folder, unpacked. */
  readonly tar: Uint8Array<ArrayBuffer>;
}

/** Packs a copy. Gives the file's parts in order, and its header. */
export async function packBackup(
  tar: Uint8Array,
  told: Omit<BackupHeader, 'bytes' | 'sha256'>,
): Promise<{ readonly header: BackupHeader; readonly parts: readonly Uint8Array[] }> {
  const packed = await promisify(gzip)(tar);
  const header: BackupHeader = { ...told, bytes: packed.length, sha256: sha256(packed) };
  const line = JSON.stringify(header);
  return { header, parts: [Buffer.from(`${mark} ${format} ${sha256(line)}\n${line}\n`), packed] };
}

/** Looks at every byte of a backup. Throws `backup_refused` for what is none, is damaged, or has another form. */
export async function readBackup(file: string, bytes: Buffer): Promise<ReadBackup> {
  const { header, packed } = splitFile(file, bytes);
  if (packed.length !== header.bytes) {
    throw damaged(file, `it should hold ${header.bytes} bytes after its header and holds ${packed.length}`);
  }
  if (sha256(packed) !== header.sha256) throw damaged(file, 'its content is not what was written');
  try {
    return { header, tar: new Uint8Array(await promisify(gunzip)(packed)) };
  } catch (error) {
    throw new MemoryError('backup_refused', `The backup ${file} cannot be unpacked.`, { file }, error);
  }
}

function splitFile(file: string, bytes: Buffer): { readonly header: BackupHeader; readonly packed: Buffer } {
  const head = bytes.subarray(0, longestHead);
  const first = head.indexOf(newline);
  const second = head.indexOf(newline, first + 1);
  const found = new RegExp(`^${mark} (\\d+) ([0-9a-f]{64})$`).exec(head.toString('latin1', 0, Math.max(first, 0)));
  if (found === null) {
    throw new MemoryError('backup_refused', `The file ${file} is no backup of this program, or its head is damaged.`, {
      file,
    });
  }
  if (found[1] !== String(format)) {
    const message = `The backup ${file} has form ${found[1]}, and this version reads form ${format}: restore it with the version that wrote it, or a newer one.`;
    throw new MemoryError('backup_refused', message, { file, format: Number(found[1]), expected: format });
  }
  const line = bytes.subarray(first + 1, Math.max(second, first + 1));
  if (sha256(line) !== found[2]) throw damaged(file, 'its header is not what was written');
  return { header: parseHeader(file, line), packed: bytes.subarray(second + 1) };
}

function parseHeader(file: string, line: Buffer): BackupHeader {
  try {
    return headerLine.parse(JSON.parse(line.toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      throw damaged(file, 'its header lacks what every backup says');
    }
    throw error;
  }
}

function damaged(file: string, how: string): MemoryError {
  return new MemoryError('backup_refused', `The backup ${file} is damaged: ${how}. Use another copy of it.`, { file });
}

function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
