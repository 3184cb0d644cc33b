// Which ids of the design the titles of tests name: `it('[S1] excludes …')`, `describe('tail [S7,B6]', …)`.
import { reachable } from './import_rules.ts';
import { findingAt } from './sources.ts';
import type { Finding, Source } from './sources.ts';

/** A call of it, test or describe with a literal title; `skipped` when it, or a describe around it, never runs. */
export type Title = {
  readonly source: Source;
  readonly kind: 'it' | 'describe';
  readonly text: string;
  readonly offset: number;
  readonly end: number;
  readonly skipped: boolean;
};

/** For each id, how many titles that run name it and how many that are skipped. */
export type Coverage = ReadonlyMap<string, { readonly run: number; readonly skipped: number }>;

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** The offset after the bracket that closes the one at `start`; strings and comments are blank in `code`. */
function endOfBracket(code: string, start: number): number {
  const open = code[start] ?? '';
  const close = closing[open];
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    if (code[at] === open) depth += 1;
    else if (code[at] === close && !(close === '>' && code[at - 1] === '=')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return code.length;
}

function skipSpace(code: string, start: number): number {
  let at = start;
  while (/\s/.test(code[at] ?? '')) at += 1;
  return at;
}

/** Modifiers that take arguments of their own before the call that has the title. */
const takesArguments = new Set(['each', 'for', 'skipIf', 'runIf', 'extend']);

/** Follows `.each(…)`, `.skipIf(…)`, `.only` and the like to the title, or returns undefined when there is none. */
function readTitle(source: Source, start: number): { literal: number; open: number; skipped: boolean } | undefined {
  const { code } = source;
  let skipped = false;
  let pending: string | undefined;
  let at = skipSpace(code, start);
  for (;;) {
    if (code[at] === '.') {
      const name = /^\.\s*(\w+)/.exec(code.slice(at));
      if (name === null) return undefined;
      if (name[1] === 'skip' || name[1] === 'todo') skipped = true;
      pending = takesArguments.has(name[1] ?? '') ? name[1] : undefined;
      at = skipSpace(code, at + name[0].length);
    } else if (code[at] === '<') at = skipSpace(code, endOfBracket(code, at));
    else if (code[at] === '(' && pending !== undefined) {
      const end = endOfBracket(code, at);
      const argument = code.slice(at + 1, end - 1).trim();
      if ((pending === 'skipIf' && argument === 'true') || (pending === 'runIf' && argument === 'false'))
        skipped = true;
      pending = undefined;
      at = skipSpace(code, end);
    } else if (code[at] === '(') return { literal: skipSpace(code, at + 1), open: at, skipped };
    else if (code[at] === '`' && pending !== undefined) {
      const table = source.literals.find((literal) => literal.offset === at);
      if (table === undefined) return undefined;
      pending = undefined;
      at = skipSpace(code, table.end);
    } else return undefined;
  }
}

/** Every literal title of it, test and describe in a source, in order. */
export function titlesOf(source: Source): Title[] {
  const titles: Title[] = [];
  for (const match of source.code.matchAll(/(?<![\w$.])(it|test|describe)\b/g)) {
    const found = readTitle(source, match.index + match[0].length);
    const literal = source.literals.find((candidate) => candidate.offset === found?.literal);
    if (found === undefined || literal === undefined) continue;
    const around = titles.some((title) => title.kind === 'describe' && title.skipped && match.index < title.end);
    titles.push({
      source,
      kind: match[1] === 'describe' ? 'describe' : 'it',
      text: literal.text,
      offset: match.index,
      end: endOfBracket(source.code, found.open),
      skipped: found.skipped || around,
    });
  }
  return titles.map((title) => ({ ...title, skipped: title.skipped || holdsOnlySkipped(title, titles) }));
}

/** True for a describe that holds tests, all of them skipped. */
function holdsOnlySkipped(title: Title, titles: readonly Title[]): boolean {
  if (title.kind === 'it') return false;
  const inside = titles.filter((other) => other.kind === 'it' && other.offset > title.offset && other.end <= title.end);
  return inside.length > 0 && inside.every((other) => other.skipped);
}

/** The ids in brackets at the start and at the end of a title; `malformed` is a bracket of ids that cannot be read. */
export function idsIn(text: string): { readonly ids: readonly string[]; readonly malformed: readonly string[] } {
  const brackets = [/^\s*\[([^\]]*)\]/.exec(text)?.[1], /\[([^\]]*)\]\s*$/.exec(text)?.[1]];
  const ids = new Set<string>();
  const malformed: string[] = [];
  for (const bracket of brackets) {
    if (bracket === undefined || !/^\s*[A-Z]\d/.test(bracket)) continue;
    const parts = bracket.split(',').map((part) => part.trim());
    if (parts.every((part) => /^[A-Z]\d+$/.test(part))) for (const part of parts) ids.add(part);
    else malformed.push(bracket);
  }
  return { ids: [...ids], malformed };
}

/** Titles of all tests that vitest reaches: those of *.test.ts and of the files that these import. */
export function reachedTitles(sources: readonly Source[]): Title[] {
  const starts = sources.map((source) => source.path).filter((path) => path.endsWith('.test.ts'));
  const reached = reachable(sources, starts);
  return sources.filter((source) => reached.has(source.path)).flatMap(titlesOf);
}

/** Counts the titles by id. */
export function countIds(titles: readonly Title[]): Coverage {
  const counts = new Map<string, { run: number; skipped: number }>();
  for (const title of titles)
    for (const id of idsIn(title.text).ids) {
      const count = counts.get(id) ?? { run: 0, skipped: 0 };
      if (title.skipped) count.skipped += 1;
      else count.run += 1;
      counts.set(id, count);
    }
  return counts;
}

/** Titles that name an id which the design does not have, or a list of ids that cannot be read. */
export function unknownIds(titles: readonly Title[], known: ReadonlySet<string>): Finding[] {
  return titles.flatMap((title) => {
    const { ids, malformed } = idsIn(title.text);
    return [
      ...ids.filter((id) => !known.has(id)).map((id) => `\`${id}\` is no id of the design`),
      ...malformed.map((list) => `\`[${list}]\` is read only as ids with commas, like [S1,B2]`),
    ].map((detail) => findingAt(title.source, title.offset, 'unknown id', detail));
  });
}
