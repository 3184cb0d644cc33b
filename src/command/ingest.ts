// ingest: documents of files and folders become passages of the knowledge base.

import { leastMaxTokens } from '../ingest/chunk.ts';
import type { ChunkSettings } from '../ingest/chunk.ts';
import { documentTypes } from '../ingest/document_type.ts';
import type { Ingestion, IngestReport } from '../manager/ingested.ts';
import { agentId } from '../model/ids.ts';
import { jsonOption, UsageError } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import { operatorCall } from './calls.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { chooseFiles } from './ingest_sources.ts';
import { ingestJson, printIngest } from './ingest_view.ts';
import { initialiseIfEmpty } from './init.ts';

const usualMaxTokens = 300;
const usualOverlapTokens = 40;
const mostMaxTokens = 4_000;

/** The command. */
export const ingest: Command = {
  synopsis: 'PATH…',
  details: [
    `Brings documents into the knowledge base, for all users of CONTEXT_TENANT_ID; acts as its operator. PATH is a file, ` +
      `a folder (with all folders in it), or - for stdin. Types: ${documentTypes.join(', ')}; a JSONL file holds a ` +
      'document a line. Names that begin with a dot, node_modules and symbolic links are passed by.',
    'A document is known by its collection and its address: the name of the folder and the path within it, the same on ' +
      'every machine. Run it again after a change: what is unchanged is left alone, and what changed becomes the next ' +
      'version. Each document is written by itself; one that fails is reported and stops no other.',
    'Patterns are separated by commas: * stands for anything within a name, ** for folders too. docs/ingest.md has the rest.',
  ],
  options: {
    collection: { value: 'NAME', help: 'collection of the documents; else the name of the folder, or documents' },
    title: { value: 'TEXT', help: 'title of the one document' },
    'source-uri': { value: 'URI', help: 'address of the one document, or what those of the folder begin with' },
    type: { value: 'TYPE', help: 'read every file as this type, whatever its name' },
    include: { value: 'PATTERNS', help: 'of folders, only files with one of these patterns' },
    exclude: { value: 'PATTERNS', help: 'of folders, no files with one of these patterns' },
    agent: { value: 'ID', help: 'only for windows of this agent' },
    'delete-missing': { help: 'retire documents of the folders whose file is gone' },
    'max-chunk-tokens': {
      value: 'N',
      help: `longest passage, ${leastMaxTokens} to ${mostMaxTokens}; else ${usualMaxTokens}`,
    },
    'overlap-tokens': { value: 'N', help: `what a passage repeats of the one before; else ${usualOverlapTokens}` },
    'dry-run': { help: 'say what would be done, and write nothing' },
    ...jsonOption,
  },
  positionals: { least: 1, most: 1000 },
  through: 'owner',
  async run(context) {
    const given = context.arguments;
    const [chunks, agent, dryRun] = [chunkSettings(given), given.text('agent'), given.flag('dry-run')];
    const { sources, leftOut, roots } = await chooseFiles(context);
    const isOne = sources.length === 1 && roots.length === 0 && sources[0]?.type !== 'jsonl';
    if (given.text('title') !== null && !isOne) throw new UsageError('--title is for one file, and none of JSONL.');
    if (given.flag('delete-missing') && roots.length === 0) throw new UsageError('--delete-missing needs a folder.');
    const ingestion: Ingestion = {
      sources,
      roots: given.flag('delete-missing') ? roots : [],
      title: given.text('title'),
      agentId: agent === null ? null : agentId(agent),
      chunks,
      dryRun,
    };
    const operator = await context.open().operator();
    if (!dryRun) await initialiseIfEmpty(context, operator);
    const report = withLeftOut(await operator.ingest(operatorCall(context), ingestion), leftOut);
    if (context.json) context.print.json(ingestJson(context, report, dryRun));
    else printIngest(context, report, dryRun);
    return report.documents.some(({ outcome }) => outcome === 'failed') ? exitCodes.failed : exitCodes.done;
  },
};

function withLeftOut(report: IngestReport, leftOut: IngestReport['documents']): IngestReport {
  return { ...report, documents: [...report.documents, ...leftOut] };
}

function chunkSettings(given: Arguments): ChunkSettings {
  const maxTokens =
    numberOf(given, 'max-chunk-tokens', { least: leastMaxTokens, most: mostMaxTokens }) ?? usualMaxTokens;
  const most = Math.floor(maxTokens / 2);
  const overlapTokens = numberOf(given, 'overlap-tokens', { least: 0, most }) ?? Math.min(usualOverlapTokens, most);
  return { maxTokens, overlapTokens };
}

function numberOf(
  given: Arguments,
  name: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | null {
  const text = given.text(name);
  if (text === null) return null;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}.`);
}
