// Which files an ingestion takes: of each path that was named, with the address under which its documents are known.

import { documentTypeOf, documentTypes } from '../ingest/document_type.ts';
import type { DocumentType } from '../ingest/document_type.ts';
import { matchesPattern } from '../ingest/glob.ts';
import type { IngestedDocument, IngestRoot, IngestSource } from '../manager/ingested.ts';
import { MemoryError } from '../model/errors.ts';
import type { FileListing } from '../owner/listed_files.ts';
import { UsageError } from './arguments.ts';
import type { Context } from './command.ts';
import { reasonOf } from './shipped_files.ts';

/** The files of a command line. */
export interface ChosenFiles {
  readonly sources: readonly IngestSource[];
  /** What stands under the paths and is none of them. */
  readonly leftOut: readonly IngestedDocument[];
  readonly roots: readonly IngestRoot[];
}

interface Choice {
  readonly collection: string | null;
  readonly type: DocumentType | null;
  readonly sourceUri: string | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const usualCollection = 'documents';

/** Lists the paths of the command line. Throws UsageError, and `invalid_argument` for a path that cannot be read. */
export async function chooseFiles(context: Context): Promise<ChosenFiles> {
  const paths = context.arguments.positionals;
  const choice = choiceOf(context, paths);
  const chosen = { sources: [] as IngestSource[], leftOut: [] as IngestedDocument[], roots: [] as IngestRoot[] };
  for (const path of paths) {
    if (path === '-') chosen.sources.push(stdinSource(context, choice));
    else addPath(chosen, { context, path, choice, listing: await listed(context, path) });
  }
  return chosen;
}

function choiceOf({ arguments: given }: Context, paths: readonly string[]): Choice {
  const [type, sourceUri, collection] = [given.text('type'), given.text('source-uri'), given.text('collection')];
  const known = documentTypes.find((name) => name === type) ?? null;
  if (type !== null && known === null) throw new UsageError(`--type is one of ${documentTypes.join(', ')}.`);
  if (collection?.trim() === '') throw new UsageError('The name of the collection is empty.');
  if (sourceUri !== null && (paths.length > 1 || sourceUri.trim() === ''))
    throw new UsageError('--source-uri says where one PATH comes from; name one, and an address that is not empty.');
  if (paths.includes('-') && (paths.length > 1 || known === null || (sourceUri === null && known !== 'jsonl')))
    throw new UsageError('- stands alone, with --type and (but for jsonl) --source-uri.');
  const patterns = (name: string) => (given.text(name) ?? '').split(',').filter((pattern) => pattern !== '');
  return { collection, type: known, sourceUri, include: patterns('include'), exclude: patterns('exclude') };
}

async function listed(context: Context, path: string): Promise<FileListing> {
  try {
    return await context.listFiles(path);
  } catch (error) {
    const message = `${path} cannot be read: ${reasonOf(error)}.`;
    throw new MemoryError('invalid_argument', message, { path }, error);
  }
}

function stdinSource({ stdin }: Context, { type, sourceUri, collection }: Choice): IngestSource {
  return {
    name: 'stdin',
    type: type ?? 'text',
    collection: collection ?? usualCollection,
    sourceUri: sourceUri ?? 'stdin',
    bytes: null,
    open: () => stdin,
  };
}

function addPath(
  chosen: { readonly sources: IngestSource[]; readonly leftOut: IngestedDocument[]; readonly roots: IngestRoot[] },
  of: { readonly context: Context; readonly path: string; readonly choice: Choice; readonly listing: FileListing },
): void {
  const { context, path, choice, listing } = of;
  const { isFolder, name, files } = listing;
  const collection = choice.collection ?? (isFolder && name !== '' ? name : usualCollection);
  const prefix = isFolder ? `${(choice.sourceUri ?? name).replace(/\/+$/, '')}/` : '';
  const uriOf = (file: string) => (isFolder ? prefix + file : (choice.sourceUri ?? file));
  const nameOf = (file: string) => (isFolder ? `${path.replace(/[/\\]+$/, '')}/${file}` : path);
  const skipped = (file: string, outcome: 'skipped' | 'failed', reason: string) =>
    void chosen.leftOut.push({
      name: nameOf(file),
      line: null,
      collection,
      sourceUri: uriOf(file),
      outcome,
      version: null,
      passages: 0,
      reason,
      code: null,
    });
  for (const { path: file, bytes } of files) {
    if (isFolder && !isWanted(file, choice)) continue;
    const type = choice.type ?? documentTypeOf(file);
    if (type === null) skipped(file, 'skipped', 'its type is not known');
    else {
      const open = () => context.openFile(nameOf(file));
      chosen.sources.push({ name: nameOf(file), type, collection, sourceUri: uriOf(file), bytes, open });
    }
  }
  for (const { path: file, reason } of listing.leftOut) {
    if (reason === 'unreadable') skipped(file, 'failed', 'this user may not read it');
    else skipped(file, 'skipped', reason === 'symbolic link' ? 'it is a symbolic link' : 'it is no regular file');
  }
  if (isFolder) chosen.roots.push(rootOf(listing, { collection, prefix, uriOf }));
}

function isWanted(file: string, { include, exclude }: Choice): boolean {
  const matches = (pattern: string) => matchesPattern(file, pattern);
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches);
}

/** Every file that is there, also one that is not ingested; below a folder that cannot be read nothing is known. */
function rootOf(
  { files, leftOut }: FileListing,
  of: { readonly collection: string; readonly prefix: string; readonly uriOf: (file: string) => string },
): IngestRoot {
  const { collection, prefix, uriOf } = of;
  return {
    collection,
    prefix,
    present: new Set([...files, ...leftOut].map(({ path }) => uriOf(path))),
    unknown: leftOut.filter(({ reason }) => reason === 'unreadable').map(({ path }) => `${uriOf(path)}/`),
  };
}
