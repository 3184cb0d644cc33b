// What an ingestion did, for people and for machines.

import { ingestOutcomes } from '../manager/ingested.ts';
import type { IngestedDocument, IngestOutcome, IngestReport } from '../manager/ingested.ts';
import type { JsonObject } from '../model/json.ts';
import type { Context } from './command.ts';
import type { Style } from './print.ts';
import { plain } from './print.ts';
import { figure } from './table.ts';
import { printHeading, printTable } from './window_view.ts';

/** More of one kind are counted and not named; --json names all. */
const mostNamed = 20;

const shown: Readonly<Record<IngestOutcome, readonly [text: string, style: Style]>> = {
  added: ['added', 'good'],
  new_version: ['new version', 'good'],
  unchanged: ['unchanged', 'faint'],
  retired: ['retired', 'warning'],
  skipped: ['skipped', 'faint'],
  failed: ['failed', 'bad'],
};

/** The report as one JSON value. */
export function ingestJson({ config }: Context, report: IngestReport, dryRun: boolean): JsonObject {
  return {
    tenant_id: config.tenantId,
    dry_run: dryRun,
    counts: Object.fromEntries(ingestOutcomes.map((outcome) => [outcome, of(report, outcome).length])),
    passages: passagesOf(report.documents),
    retired_nothing: report.retiredNothing,
    documents: report.documents.map(
      ({ name, line, collection, sourceUri, outcome, version, passages, reason, code }) => ({
        name,
        line,
        collection,
        source_uri: sourceUri,
        outcome,
        version,
        passages,
        reason,
        code,
      }),
    ),
  };
}

/** A table of counts, then what was left out and why. */
export function printIngest({ print }: Context, report: IngestReport, dryRun: boolean): void {
  printTable(
    print,
    [['documents'], ['count', 'right'], ['passages', 'right']],
    ingestOutcomes.flatMap((outcome) => {
      const documents = of(report, outcome);
      if (documents.length === 0) return [];
      const [text, style] = shown[outcome];
      const passages = passagesOf(documents);
      return [[print.paint(style, text), figure(documents.length), passages === 0 ? '' : figure(passages)]];
    }),
  );
  if (report.documents.length === 0) print.line('No file was found.');
  for (const outcome of ['retired', 'skipped', 'failed'] as const) {
    const documents = of(report, outcome);
    if (documents.length === 0) continue;
    const [text, style] = shown[outcome];
    printHeading(print, `${text[0]?.toUpperCase()}${text.slice(1)}`);
    for (const document of documents.slice(0, mostNamed)) print.line(`  ${lineOf(document)}`);
    if (documents.length > mostNamed) {
      print.line(print.paint(style, `  and ${figure(documents.length - mostNamed)} more; --json names all`));
    }
  }
  if (report.retiredNothing !== null) print.note(`Nothing was retired: ${plain(report.retiredNothing)}.`);
  if (dryRun) print.line('Nothing was written: this was a dry run.');
}

function lineOf({ name, line, reason }: IngestedDocument): string {
  const where = `${plain(name)}${line === null ? '' : `, line ${line}`}`;
  return reason === null ? where : `${where}: ${plain(reason)}`;
}

function of({ documents }: IngestReport, outcome: IngestOutcome): readonly IngestedDocument[] {
  return documents.filter((document) => document.outcome === outcome);
}

function passagesOf(documents: readonly IngestedDocument[]): number {
  return documents.reduce((sum, { passages }) => sum + passages, 0);
}
