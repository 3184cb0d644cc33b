// Identifiers, paths, addresses, code spans and quotations: text that is only right when it is the same, letter by letter.

import { isNumberSuffix } from './units.ts';

/** A piece of text that must occur as it is. `quote`: word by word; `code`: as one identifier. */
export interface ExactToken {
  readonly kind: 'code' | 'quote';
  readonly start: number;
  readonly end: number;
  /** What must occur, in lower case. */
  readonly key: string;
}

const address = /(?<![\p{Script=Latin}\d])(?:https?:\/\/[^\s<>"'`|)\]]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)/gu;
const path = /(?<![\p{Script=Latin}\d_./~-])(?:~|\.{1,2})?\/?[\w.-]*[\w-](?:\/[\w.-]*[\w-])+\/?/gu;
const identifier =
  /(?<![\p{Script=Latin}\p{M}\d_])[\p{Script=Latin}\d_][\p{Script=Latin}\p{M}\d_]*(?:[-./@#:+][\p{Script=Latin}\p{M}\d_]+)*/gu;

/** Addresses, paths and identifiers of a text, code spans and quotations blanked out before. */
export function identifiersOf(
  text: string,
  blankOut: (text: string, spans: readonly ExactToken[]) => string,
): { readonly tokens: readonly ExactToken[]; readonly rest: string } {
  const tokens: ExactToken[] = [];
  let rest = text;
  for (const [pattern, holds] of [
    [address, () => true],
    [path, isPath],
    [identifier, isIdentifier],
  ] as const) {
    const found: ExactToken[] = [];
    for (const match of rest.matchAll(pattern)) {
      const whole = match[0].replace(/[.,:;!?]+$/, '');
      if (!holds(whole)) continue;
      found.push(exact('code', match.index, whole));
    }
    tokens.push(...found);
    rest = blankOut(rest, found);
  }
  return { tokens, rest };
}

function exact(kind: ExactToken['kind'], start: number, text: string): ExactToken {
  return { kind, start, end: start + text.length, key: text.normalize('NFKC').toLowerCase() };
}

/** `and/or`, `km/h` and `3/4` are no paths. */
function isPath(text: string): boolean {
  if (/^[~./]/.test(text)) return true;
  return /[._]/.test(text) && /[A-Za-z]/.test(text) && !/^[\d./-]+$/.test(text);
}

/** Letters with digits, inner marks that no prose has, or letters that change case inside. */
function isIdentifier(text: string): boolean {
  if (/^\d/.test(text) && isNumberSuffix(text.replace(/^[\d.]+/, ''))) return false;
  if (/^[\d.:/-]+$/.test(text)) return /^\d+(?:\.\d+){2,}$/.test(text) && !/^\d{1,3}(?:\.\d{3})+$/.test(text);
  if (/\d/.test(text) && /\p{L}/u.test(text)) return !/^\d+-\p{Ll}+$/u.test(text);
  if (/_/.test(text)) return /[\p{L}\d]/u.test(text);
  if (/[@#]/.test(text)) return true;
  if (/\p{L}:\p{L}/u.test(text)) return true;
  if (/\p{L}\.\p{Ll}{2,4}$/u.test(text)) return true;
  return /\p{Ll}\p{Lu}/u.test(text);
}

const codeSpan = /(`{1,2})([^`\n]{1,400})\1/g;
const quotations = [
  /"([^"\n]{1,400})"/g,
  /[“„]([^“”„\n]{1,400})[”“]/g,
  /«([^«»\n]{1,400})»/g,
  /»([^«»\n]{1,400})«/g,
  /「([^「」\n]{1,400})」/g,
  /『([^『』\n]{1,400})』/g,
  /《([^《》\n]{1,400})》/g,
] as const;

/** Words in code spans that no other reading would take; the marks are blanked out, the words stay. */
export function codeSpansOf(text: string): readonly ExactToken[] {
  const tokens: ExactToken[] = [];
  for (const match of text.matchAll(codeSpan)) {
    const [, marks = '', inner = ''] = match;
    const start = match.index + marks.length;
    for (const part of inner.matchAll(/[^\s"'`(){}[\],;]+/g)) {
      if (/\p{L}/u.test(part[0])) tokens.push(exact('code', start + part.index, part[0].replace(/[.:!?]+$/, '')));
    }
  }
  return tokens;
}

/** Quotations that hold a word. Numbers alone in quotation marks are numbers. */
export function quotationsOf(
  text: string,
  blankOut: (text: string, spans: readonly ExactToken[]) => string,
): { readonly tokens: readonly ExactToken[]; readonly rest: string } {
  const tokens: ExactToken[] = [];
  let rest = text;
  for (const pattern of quotations) {
    const found: ExactToken[] = [];
    for (const match of rest.matchAll(pattern)) {
      const inner = match[1] ?? '';
      const trimmed = inner.trim().replace(/[.,;:!?。、]+$/, '');
      if (!/\p{L}/u.test(trimmed)) continue;
      found.push(exact('quote', match.index + 1 + inner.indexOf(trimmed), trimmed));
    }
    tokens.push(...found);
    rest = blankOut(rest, found);
  }
  return { tokens, rest };
}
