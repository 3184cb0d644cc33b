// Values of a TOML file: set and removed in the text itself, so that all else keeps its bytes.

import { parse, stringify, TomlError } from 'smol-toml';
import { lineEndOf, replaced } from './layout.ts';
import { refusedAt } from './refusal.ts';
import type { NamedText } from './refusal.ts';
import { isTable, valueAt } from './path.ts';
import type { Path, TableValue } from './path.ts';
import { scanToml } from './toml_scan.ts';
import type { Assignment, Table } from './toml_scan.ts';

/** The whole value, whole numbers as BigInt. Throws `host_file_refused`. */
export function readToml({ file, text }: NamedText): unknown {
  try {
    return asPlain(parse(text, { integersAsBigInt: true }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The parser's message quotes the file, which may hold anything; the place alone is told.
    throw refusedAt(file, error, 'this is no TOML');
  }
}

/** The text with a value at a path: in the place of the one that is there, else behind its table, else at the end. */
export function setToml(source: NamedText, path: Path, value: unknown): string {
  const { text } = source;
  const tables = scanToml(text);
  const parent = path.slice(0, -1);
  const name = path.at(-1) ?? '';
  const old = tables.flatMap(({ assignments }) => assignments).find((one) => isSame(one.path, path));
  if (old !== undefined) return replaced(text, old.valueFrom, old.valueTo, literal(value));
  const around = assignmentAround(tables, path);
  if (around !== undefined) return changedInside(source, around, { path, value });
  const table = tables.find((one) => !one.isListed && isSame(one.path, parent));
  const end = lineEndOf(text);
  if (!isTable(value)) {
    return table === undefined
      ? appended(text, tableLines(parent, { [name]: value }, end), end)
      : insertedAt(text, table.to, assignmentLine(name, value, end), end);
  }
  const lines = tableLines(path, value, end);
  return table === undefined || parent.length < 2
    ? appended(text, lines, end)
    : insertedAt(text, table.to, end + lines, end);
}

/** The text without what stands at a path, its tables included; the same text where there is nothing. */
export function removeToml(source: NamedText, path: Path): string {
  const tables = scanToml(source.text);
  const around = assignmentAround(tables, path);
  if (around !== undefined) return changedInside(source, around, { path, value: undefined });
  const own = tables.filter((table) => isWithin(table.path, path));
  const assignments = tables
    .filter((table) => !own.includes(table))
    .flatMap((table) => table.assignments.filter((one) => isWithin(one.path, path)));
  let { text } = source;
  // From the end to the beginning, so that the places of what is still to come stay true.
  for (const { from, to } of [...own, ...assignments].toSorted((a, b) => b.from - a.from)) {
    text = own.some((table) => table.from === from) ? withoutTable(text, from, to) : withoutLines(text, from, to);
  }
  return text;
}

const isSame = (a: Path, b: Path): boolean => a.length === b.length && isWithin(a, b);

const isWithin = (path: Path, outer: Path): boolean => outer.every((name, depth) => path[depth] === name);

/** Tables as objects like any others; the parser makes them without a prototype. */
function asPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asPlain);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asPlain(inner)]));
}

/** The assignment whose value holds the path inside, written in braces. */
function assignmentAround(tables: readonly Table[], path: Path): Assignment | undefined {
  return tables
    .flatMap(({ assignments }) => assignments)
    .find((one) => one.path.length < path.length && isWithin(path, one.path));
}

/** The text with a value in braces written anew, a part of it set or taken out. */
function changedInside(
  source: NamedText,
  around: Assignment,
  { path, value }: { readonly path: Path; readonly value: unknown },
): string {
  const changed = changedAt(valueAt(readToml(source), around.path), path.slice(around.path.length), value);
  return replaced(source.text, around.valueFrom, around.valueTo, literal(changed));
}

function changedAt(value: unknown, [name = '', ...inner]: Path, part: unknown): unknown {
  const members = isTable(value) ? value : {};
  const changed = inner.length === 0 ? part : changedAt(members[name], inner, part);
  const rest = Object.entries({ ...members, [name]: changed }).filter((member) => member[1] !== undefined);
  return Object.fromEntries(rest);
}

/** A value as it stands behind an equals sign. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (!isTable(value)) return stringify({ x: value }, { numbersAsFloat: true }).slice('x = '.length).trimEnd();
  const members = Object.entries(value).map(([name, inner]) => `${keyText(name)} = ${literal(inner)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function keyText(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : literal(name);
}

function assignmentLine(name: string, value: unknown, end: string): string {
  return `${keyText(name)} = ${literal(value)}${end}`;
}

/** A table and the tables in it, an empty line between two of them. */
function tableLines(path: Path, table: TableValue, end: string): string {
  const members = Object.entries(table);
  const own = members.flatMap(([name, value]) => (isTable(value) ? [] : [assignmentLine(name, value, end)]));
  const inner = members.flatMap(([name, value]) => (isTable(value) ? [tableLines([...path, name], value, end)] : []));
  return [[`[${path.map(keyText).join('.')}]${end}`, ...own].join(''), ...inner].join(end);
}

/** Lines behind the last one, with an empty line between; a text that ends without a line end goes on to do so. */
function appended(text: string, lines: string, end: string): string {
  if (text === '') return lines;
  return text.endsWith('\n') ? text + end + lines : text + end + end + lines.slice(0, -end.length);
}

function insertedAt(text: string, offset: number, lines: string, end: string): string {
  const isUnended = offset === text.length && !text.endsWith('\n');
  return replaced(text, offset, offset, isUnended ? end + lines.slice(0, -end.length) : lines);
}

/** Without a table and the empty line before it. */
function withoutTable(text: string, from: number, to: number): string {
  const emptyLine = /(?<=\n)\r?\n$/.exec(text.slice(0, from))?.[0].length ?? 0;
  return withoutLines(text, from - emptyLine, to);
}

/** Without lines; a text that ended without a line end still does. */
function withoutLines(text: string, from: number, to: number): string {
  const isUnended = to >= text.length && !text.endsWith('\n');
  const before = isUnended ? (/\r?\n$/.exec(text.slice(0, from))?.[0].length ?? 0) : 0;
  return replaced(text, from - before, to, '');
}
