// replay: does a recorded window come out the same, from memory as it was then and under what its reader may see now?

import { rowId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Difference, Replayed, UnavailableReason } from '../model/replay.ts';
import { instant } from '../model/time.ts';
import { jsonOption, UsageError } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { exitCodes, type ExitCode } from './exit_codes.ts';
import { plain } from './print.ts';
import { recordsOf, tenantOption } from './record_calls.ts';
import { figure } from './table.ts';
import { printHeading, printTable, refText } from './window_view.ts';

const usualLimit = 100;
const highestLimit = 10_000;

/** What each reason says to a person. */
const meanings: Readonly<Record<UnavailableReason, string>> = {
  not_authorized: 'it holds something that its reader may not see any more',
  deleted: 'it, or something in it, has been deleted',
  history_gone: 'its snapshot lies before what the history still keeps',
  code_changed: 'other code wrote it, and this code decides otherwise',
  compression_missing: 'a compressed text in it is not kept any more',
  transcript_missing: 'what its run exchanged is not kept any more',
  other_database: 'it was recorded in another database, or before a restore',
};

/** The command. */
export const replay: Command = {
  synopsis: '[MANIFEST]',
  details: [
    'Checks first that everything the window names is there and may be seen now, then reads memory as of the recorded ' +
      'snapshot, takes scores and compressions as they were recorded, assembles again and compares. `manifest` lists ids.',
    'The answer is matched (exit code 0), mismatched with the first difference (1), or unavailable with a reason (5); ' +
      'with --all the worst of them. With --json it prints { manifest_id, kind, same_code, outcome, reason, ref, ' +
      'difference }, or { checked, matched, mismatched, unavailable, replays }.',
  ],
  options: {
    all: { help: 'the newest windows and tool results in place of one' },
    since: { value: 'TIME', help: 'with --all: those written since, e.g. 2026-09-28T12:00:00Z' },
    limit: { value: 'N', help: `with --all: at most so many, by default ${usualLimit}` },
    ...tenantOption,
    ...jsonOption,
  },
  positionals: { least: 0, most: 1 },
  through: 'owner',
  async run(context) {
    const [id] = context.arguments.positionals;
    const many = manyAsked(context);
    if ((id === undefined) === (many === null)) throw new UsageError('Name one manifest, or say --all.');
    const records = await recordsOf(context);
    if (id !== undefined) return printOne(context, await records.replay(rowId(id)));
    const ids = await records.manifestIds(many ?? { since: null, limit: usualLimit });
    const found: Replayed[] = [];
    for (const one of ids) found.push(await records.replay(one));
    return printMany(context, found);
  },
};

function manyAsked({ arguments: given }: Context) {
  const [since, limit] = [given.text('since'), given.text('limit')];
  if (!given.flag('all')) {
    if (since !== null || limit !== null) throw new UsageError('--since and --limit belong to --all.');
    return null;
  }
  const most = limit === null ? usualLimit : Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > highestLimit) {
    throw new UsageError(`--limit must be a whole number from 1 to ${figure(highestLimit)}.`);
  }
  return { since: since === null ? null : instant(since, '--since'), limit: most };
}

function shape({ manifestId, kind, sameCode, result }: Replayed): JsonObject {
  return {
    manifest_id: manifestId,
    kind,
    same_code: sameCode,
    outcome: result.outcome,
    reason: result.outcome === 'unavailable' ? result.reason : null,
    ref: result.outcome === 'unavailable' ? result.ref : null,
    difference: result.outcome === 'mismatched' ? { ...result.difference } : null,
  };
}

function exitOf({ result }: Replayed): ExitCode {
  switch (result.outcome) {
    case 'matched':
      return exitCodes.done;
    case 'mismatched':
      return exitCodes.failed;
    case 'unavailable':
      return exitCodes.refused;
    default:
      throw result satisfies never;
  }
}

function printOne({ print, json }: Context, replayed: Replayed): ExitCode {
  const { result } = replayed;
  if (json) print.json(shape(replayed));
  else {
    const style = result.outcome === 'matched' ? 'good' : 'bad';
    print.line(`${print.paint(style, result.outcome)}  ${print.paint('id', replayed.manifestId)}`);
    print.line(`  ${plain(explained(replayed))}`);
    if (result.outcome === 'mismatched') for (const line of differenceLines(result.difference)) print.line(`  ${line}`);
  }
  return exitOf(replayed);
}

function explained({ result, sameCode }: Replayed): string {
  if (result.outcome === 'unavailable') {
    const ref = result.ref === null ? '' : `: ${refText(result.ref)}`;
    return `${result.reason}: ${meanings[result.reason]}${ref}`;
  }
  const by = sameCode === false ? 'other code wrote it; ' : '';
  return result.outcome === 'matched'
    ? `${by}request and manifest come out the same, byte for byte`
    : `${by}the first difference is in the ${result.difference.where}, at ${result.difference.path}`;
}

function differenceLines({ offset, where, recorded, rebuilt }: Difference): readonly string[] {
  if (where === 'request') return offset === null ? [] : [`the texts part after ${figure(offset)} characters`];
  return [`recorded  ${plain(JSON.stringify(recorded))}`, `rebuilt   ${plain(JSON.stringify(rebuilt))}`];
}

function printMany({ print, json }: Context, found: readonly Replayed[]): ExitCode {
  const of = (outcome: string) => found.filter(({ result }) => result.outcome === outcome);
  const counts = { checked: found.length, matched: of('matched').length, mismatched: of('mismatched').length };
  const reasons: Record<string, number> = {};
  for (const { result } of found) {
    if (result.outcome === 'unavailable') reasons[result.reason] = (reasons[result.reason] ?? 0) + 1;
  }
  if (json) print.json({ ...counts, unavailable: reasons, replays: found.map(shape) });
  else printSummary(print, { counts, reasons, others: found.filter(({ result }) => result.outcome !== 'matched') });
  if (counts.mismatched > 0) return exitCodes.failed;
  return counts.matched < counts.checked ? exitCodes.refused : exitCodes.done;
}

function printSummary(
  print: Context['print'],
  made: {
    readonly counts: Readonly<Record<'checked' | 'matched' | 'mismatched', number>>;
    readonly reasons: Readonly<Record<string, number>>;
    readonly others: readonly Replayed[];
  },
): void {
  const { counts, reasons, others } = made;
  print.line(`checked ${figure(counts.checked)}, matched ${figure(counts.matched)}, mismatched ${counts.mismatched}`);
  for (const [reason, count] of Object.entries(reasons)) print.line(`unavailable ${figure(count)}: ${reason}`);
  if (others.length === 0) return;
  printHeading(print, 'Not matched');
  printTable(
    print,
    [['manifest'], ['kind'], ['outcome'], ['why']],
    others.map((replayed) => [
      print.paint('id', replayed.manifestId),
      replayed.kind ?? '',
      replayed.result.outcome,
      plain(explained(replayed)),
    ]),
  );
}
