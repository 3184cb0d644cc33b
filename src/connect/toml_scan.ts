// Where the tables and the assignments of a TOML file stand. The text is known to be valid: this only finds places.

import { parse } from 'smol-toml';
import type { Path } from './path.ts';

/** One assignment; `path` begins at the file's root. */
export interface Assignment {
  readonly path: Path;
  /** From the beginning of its first line to behind the end of its last. */
  readonly from: number;
  readonly to: number;
  readonly valueFrom: number;
  readonly valueTo: number;
}

/** A table with its header; the first of a file has none and an empty path. */
export interface Table {
  readonly path: Path;
  /** True for a table of a list of tables, whose path names no single one. */
  readonly isListed: boolean;
  readonly from: number;
  /** Behind the end of its last line that is neither empty nor a comment. */
  readonly to: number;
  readonly assignments: readonly Assignment[];
}

/** The tables of a text in their order. */
export function scanToml(text: string): readonly Table[] {
  const tables: (Table & { to: number; assignments: Assignment[] })[] = [
    { path: [], isListed: false, from: 0, to: 0, assignments: [] },
  ];
  let at = 0;
  while (at < text.length) {
    const start = at;
    at += /^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0;
    const table = tables.at(-1);
    const character = text[at] ?? '\n';
    if (character === '#' || character === '\n' || character === '\r') at = behindLine(text, at);
    else if (character === '[') {
      const isListed = text[at + 1] === '[';
      const keyFrom = at + (isListed ? 2 : 1);
      const keyTo = endOfKey(text, keyFrom, ']');
      at = behindLine(text, keyTo);
      tables.push({ path: pathOf(text.slice(keyFrom, keyTo)), isListed, from: start, to: at, assignments: [] });
    } else if (table !== undefined) {
      const keyTo = endOfKey(text, at, '=');
      const valueFrom = keyTo + 1 + (/^[ \t]*/.exec(text.slice(keyTo + 1))?.[0].length ?? 0);
      const valueTo = endOfValue(text, valueFrom);
      const path = [...table.path, ...pathOf(text.slice(at, keyTo))];
      at = behindLine(text, valueTo);
      table.assignments.push({ path, from: start, to: at, valueFrom, valueTo });
      table.to = at;
    }
  }
  return tables;
}

/** A key's names; the parser reads it, quotes and all. */
function pathOf(key: string): Path {
  const path: string[] = [];
  let value: unknown = parse(`${key} = 0`);
  while (typeof value === 'object' && value !== null) {
    const [name = '', inner]: readonly [string?, unknown?] = Object.entries(value)[0] ?? [];
    path.push(name);
    value = inner;
  }
  return path;
}

function behindLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

function endOfKey(text: string, offset: number, end: string): number {
  let at = offset;
  while (at < text.length && text[at] !== end) at = isQuote(text[at]) ? endOfString(text, at) : at + 1;
  return at;
}

/** Behind the last character of a value. */
function endOfValue(text: string, offset: number): number {
  let depth = 0;
  let end = offset;
  let at = offset;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '\n' && depth === 0) return end;
    if (character === '#') {
      if (depth === 0) return end;
      at = behindLine(text, at);
    } else if (isQuote(character)) end = at = endOfString(text, at);
    else {
      if ('[{'.includes(character)) depth += 1;
      if (']}'.includes(character)) depth -= 1;
      at += 1;
      if (character.trim() !== '') end = at;
    }
  }
  return end;
}

const isQuote = (character: string | undefined): boolean => character === '"' || character === "'";

function endOfString(text: string, offset: number): number {
  const quote = text[offset] ?? '"';
  const isLong = text.startsWith(quote.repeat(3), offset);
  const close = isLong ? quote.repeat(3) : quote;
  let at = offset + close.length;
  while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  at += close.length;
  // Up to two quotes may stand right before the three that end a long string.
  const more = isLong
    ? text
        .slice(at, at + 2)
        .split('')
        .findIndex((character) => character !== quote)
    : 0;
  return at + (more === -1 ? 2 : more);
}
