// How the house checks read source text: code, strings and comments told apart, so that a rule about one never meets another.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A string or template literal: offset of its opening quote, offset after its closing one, raw text between them. */
type Literal = { readonly offset: number; readonly end: number; readonly text: string };

/** A comment with its marks; `end` is the offset after its last character. */
type Comment = { readonly offset: number; readonly end: number; readonly text: string };

/** One source file; `code` has the length and lines of `text`, with comments, regular expressions and string contents blank. */
export type Source = {
  readonly path: string;
  readonly text: string;
  readonly code: string;
  readonly literals: readonly Literal[];
  readonly comments: readonly Comment[];
};

/** One import or re-export; `specifier` is undefined when it is computed and cannot be checked. */
export type Import = { readonly specifier: string | undefined; readonly offset: number };

/** One breach of a house rule. */
export type Finding = { readonly path: string; readonly line: number; readonly rule: string; readonly detail: string };

/** Makes the finding for a place in a source. */
export function findingAt(source: Source, offset: number, rule: string, detail: string): Finding {
  return { path: source.path, line: source.text.slice(0, offset).split('\n').length, rule, detail };
}

/** The finding as `file:line  rule: detail`. */
export function formatFinding(finding: Finding): string {
  return `${finding.path}:${finding.line}  ${finding.rule}: ${finding.detail}`;
}

/** Paths of all files under a folder of root, relative to root, with forward slashes, sorted; none when the folder is absent. */
function listFiles(root: string, folder: string): string[] {
  const found: string[] = [];
  const walk = (path: string): void => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      if (entry.name === 'node_modules' || entry.name === 'dist') continue;
      const child = posix.join(path, entry.name);
      if (entry.isDirectory()) walk(child);
      else found.push(child);
    }
  };
  if (statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory()) walk(folder);
  return found.toSorted();
}

/** Reads and scans every .ts and .mjs file under the folders of root. */
export function readSources(root: string, ...folders: readonly string[]): Source[] {
  return folders
    .flatMap((folder) => listFiles(root, folder))
    .filter((path) => /\.(ts|mjs)$/.test(path))
    .map((path) => scan(path, readFileSync(join(root, path), 'utf8')));
}

const regexAfterCharacter = /[([{},;=:!&|?+\-*%~^<>]/;
const regexAfterWord =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|instanceof|await|yield)$/;

/** Tells code, literals and comments of a TypeScript text apart. */
export function scan(path: string, text: string): Source {
  const out = text.split('');
  const literals: Literal[] = [];
  const comments: Comment[] = [];
  const blank = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) if (out[index] !== '\n') out[index] = ' ';
  };
  const endOfString = (start: number): number => {
    let at = start + 1;
    while (at < text.length && text[at] !== text[start] && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
    return Math.min(at, text.length);
  };
  const endOfRegex = (start: number): number => {
    let inClass = false;
    for (let at = start + 1; at < text.length && text[at] !== '\n'; at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === '[') inClass = true;
      else if (text[at] === ']') inClass = false;
      else if (text[at] === '/' && !inClass) return at;
    }
    return -1;
  };
  const startsRegex = (at: number): boolean => {
    const before = out
      .slice(Math.max(0, at - 200), at)
      .join('')
      .trimEnd();
    return before === '' || regexAfterCharacter.test(before.slice(-1)) || regexAfterWord.test(before);
  };
  const readTemplate = (start: number): number => {
    let at = start + 1;
    let chunk = at;
    let content = '';
    while (at < text.length && text[at] !== '`') {
      if (text[at] === '\\') at += 2;
      else if (text.startsWith('${', at)) {
        content += `${text.slice(chunk, at)}\${}`;
        blank(chunk, at);
        at = readCode(at + 2, true) + 1;
        chunk = at;
      } else at += 1;
    }
    blank(chunk, Math.min(at, text.length));
    literals.push({ offset: start, end: at + 1, text: content + text.slice(chunk, at) });
    return at + 1;
  };
  const readComment = (start: number, end: number): number => {
    comments.push({ offset: start, end, text: text.slice(start, end) });
    blank(start, end);
    return end;
  };
  /** Reads code up to its end, or in a template's expression up to its closing brace, whose offset it returns. */
  const readCode = (start: number, nested: boolean): number => {
    let depth = 0;
    let at = start;
    while (at < text.length) {
      const character = text[at] ?? '';
      if (text.startsWith('//', at)) at = readComment(at, indexOr(text, '\n', at));
      else if (text.startsWith('/*', at)) at = readComment(at, Math.min(indexOr(text, '*/', at + 2) + 2, text.length));
      else if (character === "'" || character === '"') {
        const end = endOfString(at);
        literals.push({ offset: at, end: end + 1, text: text.slice(at + 1, end) });
        blank(at + 1, end);
        at = end + 1;
      } else if (character === '`') at = readTemplate(at);
      else if (character === '/' && startsRegex(at) && endOfRegex(at) > 0) {
        const end = endOfRegex(at);
        blank(at + 1, end);
        at = end + 1;
      } else if (nested && character === '}' && depth === 0) return at;
      else {
        if (character === '{') depth += 1;
        if (character === '}') depth -= 1;
        at += 1;
      }
    }
    return at;
  };
  readCode(text.startsWith('#!') ? readComment(0, indexOr(text, '\n', 0)) : 0, false);
  return {
    path,
    text,
    code: out.join(''),
    literals: literals.toSorted((a, b) => a.offset - b.offset),
    comments,
  };
}

function indexOr(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from);
  return found === -1 ? text.length : found;
}

/** Every import of a source, in order: static, type-only, re-export, dynamic, require and import.meta.resolve. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  for (const literal of source.literals) {
    const before = source.code.slice(Math.max(0, literal.offset - 60), literal.offset);
    if (
      /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\brequire\.resolve\s*\(\s*|\bimport\.meta\.resolve\s*\(\s*)$/.test(
        before,
      )
    )
      found.push({ specifier: literal.text, offset: literal.offset });
  }
  for (const match of source.code.matchAll(/(?<![.\w$])(?:import|require)\s*\(\s*(?!['"`\s])/g))
    found.push({ specifier: undefined, offset: match.index });
  return found.toSorted((a, b) => a.offset - b.offset);
}

/** The path that a relative specifier leads to from a file, relative to the same root. */
export function resolveRelative(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}
