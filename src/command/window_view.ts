// A window and its manifest for people: where the tokens went, what stands in it, what was left out and by which rule.

import { fixedSlices, optionalSlices } from '../model/budget.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Exclusion, Manifest, RefJson } from '../model/manifest.ts';
import type { Print } from './print.ts';
import { plain } from './print.ts';
import { cut, figure, tableLines } from './table.ts';

const widestRef = 44;

const headingOf = (print: Print) => (text: string) => print.paint('faint', text);

/** A heading with an empty line before it. */
export function printHeading(print: Print, text: string): void {
  print.line();
  print.line(print.paint('heading', text));
}

/** Lines of a table, indented under their heading. */
export function printTable(
  print: Print,
  columns: readonly (readonly [heading: string, align?: 'left' | 'right'])[],
  rows: readonly (readonly string[])[],
): void {
  const lines = tableLines(
    columns.map(([heading, align]) => ({ heading, align: align ?? 'left' })),
    rows,
    headingOf(print),
  );
  for (const line of lines) print.line(`  ${line}`);
}

/** The optional slices with their shares, then what is fixed and reserved, then the sum. */
export function printAllocation(print: Print, manifest: Manifest): void {
  printHeading(print, `Where the tokens go (intent ${manifest.intent})`);
  const rows = optionalSlices.flatMap((slice) => {
    const entry = manifest.allocation[slice];
    if (entry === undefined) return [];
    const tokens = [entry.allotted, entry.carried_in, entry.used, entry.left].map(figure);
    return [[slice, `${Math.round(entry.share * 100)}%`, ...tokens]];
  });
  printTable(
    print,
    [
      ['slice'],
      ['share', 'right'],
      ['allotted', 'right'],
      ['carried in', 'right'],
      ['used', 'right'],
      ['left', 'right'],
    ],
    rows,
  );
  print.line();
  printTable(print, [['part'], ['tokens', 'right']], accountRows(print, manifest));
}

function accountRows(print: Print, manifest: Manifest): readonly (readonly string[])[] {
  const { totals, budget } = manifest;
  const reserves = ['output_reserve', 'tool_reserve', 'request_overhead_reserve'].flatMap((name) => {
    const value = budget[name];
    return typeof value === 'number' ? [[name, figure(value)]] : [];
  });
  return [
    ...fixedSlices.map((slice) => [slice, figure(totals.fixed[slice])]),
    ['optional slices', figure(totals.optional_used)],
    ...reserves,
    ['left', figure(totals.left)],
    [print.paint('heading', 'usable_context'), print.paint('heading', figure(totals.usable_context))],
  ];
}

/** One line for each memory in the window, in the order in which it stands there. */
export function printMemories(print: Print, manifest: Manifest): void {
  printHeading(print, `In the window (${manifest.memories.length})`);
  if (manifest.memories.length === 0) {
    print.line('  nothing');
    return;
  }
  printTable(
    print,
    [['id'], ['memory'], ['status'], ['slice'], ['tier'], ['tokens', 'right'], ['priority', 'right'], ['because']],
    manifest.memories.map((memory) => [
      print.paint('id', memory.id),
      cut(refText(memory.ref), widestRef),
      memory.annotation_refs.length === 0 ? memory.status : `${memory.status}, corrected`,
      memory.slice,
      memory.tier,
      figure(memory.tokens),
      memory.scores === null ? '' : memory.scores.priority.toFixed(3),
      memory.admitted_by,
    ]),
  );
}

/** Rules that say something of a memory itself come before those that only ran out of room. */
const crowded: readonly string[] = ['candidate_cap', 'slice_budget', 'request_budget', 'tail_cut'];

const rank = (exclusion: Exclusion): number => (crowded.includes(exclusion.rule) ? 1 : 0);

/** What was left out, counted by rule and then listed; at most `limit` lines. */
export function printExclusions(print: Print, manifest: Manifest, limit: number): void {
  printHeading(print, `Left out (${manifest.excluded.length})`);
  if (manifest.excluded.length === 0) {
    print.line('  nothing');
    return;
  }
  const counts = new Map<string, number>();
  for (const { rule } of manifest.excluded) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  print.line(`  ${[...counts].map(([rule, count]) => `${rule} ${count}`).join(' · ')}`);
  const listed = manifest.excluded.toSorted((a, b) => rank(a) - rank(b)).slice(0, limit);
  print.line();
  printTable(
    print,
    [['memory'], ['slice'], ['rule'], ['detail']],
    listed.map((exclusion) => [
      cut(refText(exclusion.ref), widestRef),
      exclusion.slice,
      exclusion.rule,
      cut(detailText(exclusion.detail), 48),
    ]),
  );
  const more = manifest.excluded.length - listed.length;
  if (more > 0) print.line(print.paint('faint', `  and ${more} more; --json lists all`));
}

/** What proves the window later: ids, position, hashes. */
export function printRecord(print: Print, manifest: Manifest): void {
  printHeading(print, 'On record');
  const rows = [
    ['manifest', manifest.manifest_id],
    ['run, round', `${manifest.run_id}, ${manifest.round}`],
    ['evaluated at', manifest.evaluation_time],
    ['database position', `${manifest.scn} of ${manifest.incarnation}`],
    ['budget', refText(manifest.budget_ref)],
    ['versions', `${manifest.renderer_version}, ${manifest.selection_version}`],
    ['code', manifest.code_hash],
    ['static prefix', manifest.prefix_hash],
    ['request', manifest.request_hash],
    ['request tokens', `${figure(manifest.totals.request)} by ${manifest.encoding}${providerText(manifest)}`],
    ['embedder', manifest.embedder],
    ['reranker', [manifest.reranker, ...manifest.fallbacks].join(', ')],
  ];
  for (const line of tableLines([{ heading: '' }, { heading: '' }], rows).slice(1)) print.line(`  ${plain(line)}`);
}

function providerText(manifest: Manifest): string {
  const count = manifest.totals.provider_count;
  return count === null ? '' : `, ${figure(count)} by the provider`;
}

/** A ref as people read it: `entity ctxseed_26… v2`. */
export function refText([type, id, version]: RefJson): string {
  return `${type} ${id} v${version}`;
}

/** A detail of the manifest on one line. */
export function detailText(detail: JsonObject): string {
  return plain(
    Object.entries(detail)
      .map(([name, value]) => `${name} ${valueText(value)}`)
      .join(', '),
  );
}

/** A JSON value on one line, lists by their entries. */
export function valueText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map((entry: JsonValue) => valueText(entry)).join(' ') : JSON.stringify(value);
}
