// diff: what differs between two stored windows, and why.

import type { Cause, Changed, FieldChange, ManifestDifference, OneSided } from '../diff/difference.ts';
import type { WindowDifference } from '../manager/manager.ts';
import { rowId } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { RefJson } from '../model/manifest.ts';
import { jsonOption } from './arguments.ts';
import { launchCall } from './calls.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import type { Print } from './print.ts';
import { plain } from './print.ts';
import { cut, figure } from './table.ts';
import { detailText, printHeading, printTable, refText, valueText } from './window_view.ts';

const widestMemory = 40;
const widestValue = 40;

/** The command. */
export const diff: Command = {
  synopsis: 'MANIFEST MANIFEST',
  details: [
    'Compares two manifests of the user of the configuration, the first as before and the second as after: what entered ' +
      'the window, what left it, what changed, and for each the rule, the policy key, the new version or the new question ' +
      'that caused it.',
    'With --json it prints { difference, titles }; titles are of rows that this user may see now.',
  ],
  options: jsonOption,
  positionals: { least: 2, most: 2 },
  through: 'owner',
  async run(context) {
    const [from = '', to = ''] = context.arguments.positionals;
    const asked = { from: rowId(from), to: rowId(to) };
    const manager = await context.open().manager();
    const found = await manager.diff(launchCall(context), asked);
    if (context.json) context.print.json(found);
    else printDifference(context.print, found);
    return exitCodes.done;
  },
};

function printDifference(print: Print, { difference, titles }: WindowDifference): void {
  const names = new Map(titles.map(({ ref, title }) => [ref.join(' '), title]));
  const nameOf = (ref: RefJson): string => cut(plain(names.get(ref.join(' ')) ?? refText(ref)), widestMemory);
  if (difference.same_request) print.line('The two requests are equal byte for byte.');
  printSettings(print, difference);
  printAllocations(print, difference);
  printOneSided(print, { heading: 'Entered', memories: difference.entered, nameOf });
  printOneSided(print, { heading: 'Left', memories: difference.left, nameOf });
  printChanged(print, difference.changed, nameOf);
}

/** Question, policy, prefix and what made the windows, one line a value that differs. */
function printSettings(print: Print, difference: ManifestDifference): void {
  const { evaluation_time: time, question, policy, made_by: made, prefix } = difference;
  const refs = [policy.budget_ref, policy.retrieval_ref];
  const rows = [
    ...(time === null ? [] : [changeRow('time', time)]),
    ...question.map((change) => changeRow('question', change)),
    ...refs.flatMap((change) => (change === null ? [] : [changeRow('policy', change)])),
    ...policy.changes.map((change) => changeRow('policy', change)),
    ...made.map((change) => changeRow('made by', change)),
    ...prefix.left.map(({ ref, slice }) => ['prefix', slice, refText(ref), '']),
    ...prefix.entered.map(({ ref, slice }) => ['prefix', slice, '', refText(ref)]),
  ];
  if (rows.length === 0) return;
  printHeading(print, 'What the windows were made by');
  printTable(print, [['part'], ['value'], ['before'], ['after']], rows);
}

function changeRow(part: string, { field, from, to }: FieldChange): readonly string[] {
  return [part, field, shortValue(from), shortValue(to)];
}

function shortValue(value: JsonValue): string {
  const text = value === null ? '' : plain(valueText(value));
  return text === '' ? '–' : cut(text, widestValue);
}

function printAllocations(print: Print, { allocation }: ManifestDifference): void {
  if (allocation.length === 0) return;
  printHeading(print, 'Where the tokens go, before → after');
  const both = (from: number | undefined, to: number | undefined): string =>
    from === to ? figure(from ?? 0) : `${figure(from ?? 0)} → ${figure(to ?? 0)}`;
  printTable(
    print,
    [['slice'], ['allotted', 'right'], ['carried in', 'right'], ['used', 'right'], ['left', 'right']],
    allocation.map(({ slice, from, to }) => [
      slice,
      both(from?.allotted, to?.allotted),
      both(from?.carried_in, to?.carried_in),
      both(from?.used, to?.used),
      both(from?.left, to?.left),
    ]),
  );
}

function printOneSided(
  print: Print,
  shown: {
    readonly heading: 'Entered' | 'Left';
    readonly memories: readonly OneSided[];
    readonly nameOf: (ref: RefJson) => string;
  },
): void {
  const { heading, memories, nameOf } = shown;
  printHeading(print, `${heading} (${memories.length})`);
  if (memories.length === 0) {
    print.line('  nothing');
    return;
  }
  const why = heading === 'Entered' ? 'why it was out before' : 'why it is out now';
  printTable(
    print,
    [['id'], ['memory'], ['slice'], ['tier'], ['tokens', 'right'], [why]],
    memories.map(({ id, ref, slice, tier, tokens, cause }) => [
      print.paint('id', id),
      nameOf(ref),
      slice,
      tier,
      figure(tokens),
      causeText(cause, nameOf),
    ]),
  );
}

function printChanged(print: Print, changed: readonly Changed[], nameOf: (ref: RefJson) => string): void {
  printHeading(print, `Changed (${changed.length})`);
  if (changed.length === 0) {
    print.line('  nothing');
    return;
  }
  printTable(
    print,
    [['id'], ['memory'], ['slice'], ['what'], ['why']],
    changed.map(({ id, to, slice, changes, cause }) => [
      print.paint('id', id),
      nameOf(to),
      slice,
      changes.map(changeText).join(', '),
      causeText(cause, nameOf),
    ]),
  );
}

function changeText({ field, from, to }: FieldChange): string {
  // Lists of refs say little to a person; that they differ is enough, the cause names the fact.
  if (Array.isArray(from) || Array.isArray(to)) return field.replaceAll('_', ' ');
  return `${field} ${shortValue(from)} → ${shortValue(to)}`;
}

function causeText(cause: Cause, nameOf: (ref: RefJson) => string): string {
  const others = cause.pushed_by.length;
  const parts = [
    ...directCause(cause, nameOf),
    ...(cause.question ? ['another question'] : []),
    ...(cause.policy.length === 0 ? [] : [`policy ${cause.policy.join(', ')}`]),
    ...(others === 0 ? [] : [`${figure(others)} ${others === 1 ? 'other' : 'others'} in its slice`]),
  ];
  return parts.join('; ');
}

/** Of what did not fit: what it needed and what was left says all. */
function roomText(detail: JsonObject): string {
  const { needed, left } = detail;
  return needed === undefined || left === undefined ? detailText(detail) : detailText({ needed, left });
}

function directCause({ kind, rule, detail, ref }: Cause, nameOf: (ref: RefJson) => string): readonly string[] {
  const other = ref === null ? '' : ` ${nameOf(ref)} v${ref[2]}`;
  switch (kind) {
    case 'rule':
      return [`${rule ?? ''} (${cut(roomText(detail), widestValue)})${ref === null ? '' : `, now${other}`}`];
    case 'new_version':
      return [ref === null ? 'replaced by a newer version' : `another version:${other}`];
    case 'correction':
      return [ref === null ? 'its correction changed' : `corrected by${other}`];
    case 'not_there_yet':
      return ['not there yet'];
    case 'not_visible':
      return ['not visible any more'];
    case 'not_found':
      return ['not found by search'];
    case 'deleted':
    case 'expired':
    case 'quarantined':
      return [kind];
    case 'fit':
      return [];
    default:
      throw kind satisfies never;
  }
}
