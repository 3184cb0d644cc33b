// Members of a JSON file, comments allowed: set and removed in the text itself, so that all else keeps its bytes.

import { createScanner, findNodeAtLocation, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { endOfLineBefore, indentAt, isFirstOnLine, isLastOnLine, lineEndOf, replaced } from './layout.ts';
import type { Path } from './path.ts';
import { refusedPlace } from './refusal.ts';
import type { NamedText } from './refusal.ts';

/** The whole value; an empty text counts as an empty object. Throws `host_file_refused` for what is no JSON. */
export function readJson(source: NamedText): unknown {
  return treeOf(source) === undefined ? {} : parse(source.text, [], { allowTrailingComma: true });
}

/**
 * Throws `host_file_refused` unless the objects on the path are objects and each of its names stands once: of two
 * members with one name hosts read the last, people the first.
 */
export function checkJsonPath(source: NamedText, path: Path): void {
  let node = treeOf(source);
  for (const [depth, name] of path.entries()) {
    if (node === undefined) return;
    const what = depth === 0 ? 'the file' : JSON.stringify(path[depth - 1]);
    if (node.type !== 'object') throw refusedPlace(source, node.offset, `${what} is no object`);
    const members = (node.children ?? []).filter((member) => member.children?.[0]?.value === name);
    if (members[1] !== undefined) {
      throw refusedPlace(source, members[1].offset, `${JSON.stringify(name)} stands there for the second time`);
    }
    node = members[0]?.children?.[1];
  }
}

/** The text with a value at a path: in the place of the one that is there, else behind the members that are there. */
export function setJson(source: NamedText, path: Path, value: unknown): string {
  const { text } = source;
  const root = treeOf(source);
  const style = styleOf(text, root);
  if (root === undefined) {
    const before = text === '' || text.endsWith('\n') ? text : text + style.lineEnd;
    return `${before}${written(nested(path, value), '', style)}${style.lineEnd}`;
  }
  const old = findNodeAtLocation(root, [...path]);
  if (old !== undefined) {
    const wasInline = old.children?.[0] !== undefined && isInOneLine(text, old);
    const shown = wasInline ? inline(value, style) : written(value, indentAt(text, old.parent?.offset ?? 0), style);
    return replaced(text, old.offset, old.offset + old.length, shown);
  }
  const depth = path.findIndex((_, index) => findNodeAtLocation(root, path.slice(0, index + 1)) === undefined);
  const parent = findNodeAtLocation(root, path.slice(0, depth));
  const [name = '', ...inner] = path.slice(depth);
  if (parent?.type !== 'object') throw refusedPlace(source, parent?.offset ?? 0, 'an object was expected there');
  return addMember(text, parent, [name, nested(inner, value)], style);
}

/** The text without the member at a path; the same text where there is none. */
export function removeJson(source: NamedText, path: Path): string {
  const { text } = source;
  const root = treeOf(source);
  const member = root === undefined ? undefined : findNodeAtLocation(root, [...path])?.parent;
  const parent = member?.parent;
  if (member === undefined || parent === undefined) return text;
  const end = member.offset + member.length;
  const members = parent.children ?? [];
  const place = members.indexOf(member);
  const comma = commaAfter(text, end);
  const previous = members[place - 1];
  if (members.length === 1) return removeOnly(text, parent, [member.offset, comma === null ? end : comma + 1]);
  if (comma !== null) return removeBefore(text, [member.offset, comma + 1], place === members.length - 1);
  const previousComma = commaAfter(text, (previous?.offset ?? 0) + (previous?.length ?? 0)) ?? member.offset;
  return removeLast(text, [member.offset, end], previousComma);
}

/** How a text is laid out. */
interface Style {
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly step: string;
  /** True for a text without any white space between its parts. */
  readonly isTight: boolean;
  /** True for a text whose outermost object stands on one line. */
  readonly isInline: boolean;
}

function treeOf(source: NamedText): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(source.text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error === undefined) return root;
  const reason = printParseErrorCode(error.error).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  throw refusedPlace(source, error.offset, `this is no JSON (${reason.trim()})`);
}

function styleOf(text: string, root: Node | undefined): Style {
  const first = root?.children?.[0];
  const isInline = first !== undefined && isInOneLine(text, root);
  const step = first !== undefined && isFirstOnLine(text, first.offset) ? indentAt(text, first.offset) : '';
  return {
    lineEnd: lineEndOf(text),
    step: step === '' ? '  ' : step,
    isTight: isInline && !/[ \t]/.test(text.slice(root?.offset, first.offset + first.length)),
    isInline,
  };
}

/** True when the first part of an object or array follows its bracket on the same line. */
function isInOneLine(text: string, holder: Node | undefined): boolean {
  const first = holder?.children?.[0];
  return holder !== undefined && first !== undefined && !text.slice(holder.offset, first.offset).includes('\n');
}

function nested(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

/** A value over several lines; the first is not indented, because it stands behind a name. */
function written(value: unknown, indent: string, { step, lineEnd: end }: Style): string {
  return JSON.stringify(value, null, step).replaceAll('\n', end + indent);
}

/** A value on one line. */
function inline(value: unknown, style: Style): string {
  if (style.isTight || value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((part) => inline(part, style)).join(', ')}]`;
  const members = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${inline(part, style)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Where the comma behind a member is; null where none follows before the object's end. */
function commaAfter(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === ',' && scanner.getTokenLength() === 1 ? scanner.getTokenOffset() : null;
}

/** Where what belongs to an offset's line ends: behind the comments that follow on it, or at the offset itself. */
function behindComments(text: string, offset: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let end = offset;
  for (;;) {
    scanner.scan();
    const token = text.slice(scanner.getTokenOffset(), scanner.getPosition());
    if (token === '' || /^\r?\n$/.test(token)) return end;
    if (/^\/[/*]/.test(token)) end = scanner.getPosition();
    else if (token.trim() !== '') return offset;
  }
}

function addMember(text: string, parent: Node, [name, value]: readonly [string, unknown], style: Style): string {
  const { lineEnd: end, step } = style;
  const members = parent.children ?? [];
  const [first] = members;
  const last = members.at(-1);
  if (first === undefined || last === undefined) return addFirst(text, parent, [name, value], style);
  const lastEnd = last.offset + last.length;
  const comma = commaAfter(text, lastEnd);
  const colon = style.isTight ? ':' : ': ';
  if (isInOneLine(text, parent)) {
    const shown = `${style.isTight ? '' : ' '}${JSON.stringify(name)}${colon}${inline(value, style)}`;
    const at = comma === null ? lastEnd : comma + 1;
    return replaced(text, at, at, comma === null ? `,${shown}` : `${shown},`);
  }
  const indent = isFirstOnLine(text, first.offset)
    ? indentAt(text, first.offset)
    : indentAt(text, parent.offset) + step;
  const shown = `${end}${indent}${JSON.stringify(name)}: ${written(value, indent, style)}`;
  const at = behindComments(text, comma === null ? lastEnd : comma + 1);
  if (comma !== null) return replaced(text, at, at, `${shown},`);
  return replaced(replaced(text, at, at, shown), lastEnd, lastEnd, ',');
}

function addFirst(text: string, parent: Node, [name, value]: readonly [string, unknown], style: Style): string {
  const inside = [parent.offset + 1, parent.offset + parent.length - 1] as const;
  const outer = indentAt(text, parent.offset);
  const indent = outer + style.step;
  const isEmpty = text.slice(...inside).trim() === '';
  if (style.isInline && isEmpty) {
    const shown = inline({ [name]: value }, style);
    return replaced(text, parent.offset, parent.offset + parent.length, shown);
  }
  const shown = `${style.lineEnd}${indent}${JSON.stringify(name)}: ${written(value, indent, style)}`;
  if (isEmpty) return replaced(text, ...inside, `${shown}${style.lineEnd}${outer}`);
  const at = behindComments(text, inside[0]);
  if (at !== inside[0]) return replaced(text, at, at, shown);
  // Comments may end the last line, and what stood behind them would be one.
  const close = isFirstOnLine(text, inside[1]) ? endOfLineBefore(text, inside[1]) : inside[1];
  return replaced(text, close, close, close === inside[1] ? `${shown}${style.lineEnd}${outer}` : shown);
}

type Range = readonly [from: number, to: number];

/** Of a member that is the only one, nothing is left but comments. */
function removeOnly(text: string, parent: Node, [from, to]: Range): string {
  const inside = [parent.offset + 1, parent.offset + parent.length - 1] as const;
  const rest = text.slice(inside[0], from) + text.slice(to, inside[1]);
  return rest.trim() === '' ? replaced(text, ...inside, '') : withoutLines(text, [from, to]);
}

/** A member with a comma of its own behind it. */
function removeBefore(text: string, [from, to]: Range, isLast: boolean): string {
  if (isFirstOnLine(text, from) && isLastOnLine(text, to)) return withoutLines(text, [from, to]);
  const before = /[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0;
  const after = /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0;
  return isLast ? replaced(text, from - before, to, '') : replaced(text, from, to + after, '');
}

/** The last member, with the comma that stood between it and the one before. */
function removeLast(text: string, [from, to]: Range, comma: number): string {
  const hasLines = isFirstOnLine(text, from) && isLastOnLine(text, to);
  if (!hasLines && text.slice(comma + 1, from).trim() === '') return replaced(text, comma, to, '');
  return replaced(withoutLines(text, [from, to]), comma, comma + 1, '');
}

/** Without a range, and without its lines where it has them for itself. */
function withoutLines(text: string, [from, to]: Range): string {
  const hasLines = isFirstOnLine(text, from) && isLastOnLine(text, to);
  return replaced(text, hasLines ? endOfLineBefore(text, from) : from, to, '');
}
