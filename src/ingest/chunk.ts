// Cuts a document into passages by its structure (design Q8): a section's blocks stay whole where they fit, and what is
// longer is cut where it has an edge: between items, lines, sentences, words. The lines of a passage say where it stood.

import { sentencesOf } from '../assembly/summarise/sentences.ts';
import type { CountTokens } from '../model/window.ts';
import type { Block, BlockKind } from './structure.ts';

/** How long a passage may be, in tokens of its content. */
export interface ChunkSettings {
  readonly maxTokens: number;
  /** How much of the end of a passage the next one of its section repeats, at most; whole sentences only. */
  readonly overlapTokens: number;
}

/** A passage of a document. */
export interface Passage {
  /** The headings that it stands under, then what it repeats, then its own part of the document. */
  readonly content: string;
  /** Its own part of the document alone: of all passages in order, the whole text. */
  readonly body: string;
  readonly headings: readonly string[];
  /** Page that it begins on, where the document has pages. */
  readonly page: number | null;
}

/** The fewest tokens that a passage can be limited to. */
export const leastMaxTokens = 32;

/** Changes when the same document would be cut otherwise. */
export const chunkVersion = 1;

/** The smallest part that a passage is made of: never cut again. */
interface Piece {
  readonly text: string;
  /** What stands between it and the piece before it where both are in one passage. */
  readonly gap: string;
  readonly tokens: number;
  /** What a passage repeats that begins with it: the head of a table that was cut. */
  readonly head: string;
  readonly isProse: boolean;
  readonly page: number | null;
}

interface Section {
  readonly headings: readonly string[];
  readonly blocks: Block[];
}

interface Cutting extends ChunkSettings {
  readonly count: CountTokens;
}

/** A part of a text, by its place in UTF-16 code units. */
type Span = readonly [start: number, end: number];
type Cutter = (text: string) => readonly Span[];

const blockGap = '\n\n';
const headingMark = ' › ';
/** Headings and the head of a table may take this share of a passage. */
const headShare = 0.25;
/** A longer text is cut before it is counted; pieces that fit come together again. In code units for a token. */
const uncountedLength = 16;
/** How far from the middle of a text white space is looked for, in code units. */
const farthestSpace = 2_000;

/** The passages of a document's blocks in order. The same input gives the same passages. */
export function chunkDocument(
  blocks: readonly Block[],
  settings: ChunkSettings,
  count: CountTokens,
): readonly Passage[] {
  const cutting = { ...settings, count };
  return sectionsOf(blocks).flatMap((section) => chunkSection(section, cutting));
}

function sectionsOf(blocks: readonly Block[]): readonly Section[] {
  const sections: Section[] = [];
  for (const block of blocks) {
    const last = sections.at(-1);
    if (last !== undefined && isSamePath(last.headings, block.headings)) last.blocks.push(block);
    else sections.push({ headings: block.headings, blocks: [block] });
  }
  return sections;
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((heading, place) => heading === other[place]);
}

function chunkSection({ headings, blocks }: Section, cutting: Cutting): readonly Passage[] {
  const line = headingLine(headings, cutting);
  const room = cutting.maxTokens - (line === '' ? 0 : cutting.count(line + blockGap));
  const pieces = blocks.flatMap((block) => piecesOf(block, { ...cutting, room }));
  const passages: Passage[] = [];
  let repeated = '';
  for (let start = 0; start < pieces.length; ) {
    // Each has a token at least, so no more of them can fit.
    const taken = takenFrom(pieces.slice(start, start + cutting.maxTokens), { line, room, repeated, cutting });
    passages.push({
      content: taken.content,
      body: bodyOf(taken.pieces),
      headings,
      page: taken.pieces[0]?.page ?? null,
    });
    repeated = endOf(taken.pieces, cutting);
    start += taken.pieces.length;
  }
  return passages;
}

/** The innermost headings that leave the most of a passage to its text. */
function headingLine(headings: readonly string[], { maxTokens, count }: Cutting): string {
  for (let first = 0; first < headings.length; first += 1) {
    const line = headings.slice(first).join(headingMark);
    if (count(line) <= maxTokens * headShare) return line;
  }
  return '';
}

/** The first pieces, as many as one passage can hold with what it repeats; its own text goes before that. */
function takenFrom(
  pieces: readonly Piece[],
  by: { readonly line: string; readonly room: number; readonly repeated: string; readonly cutting: Cutting },
): { readonly pieces: readonly Piece[]; readonly content: string } {
  const { line, room, repeated, cutting } = by;
  const [first] = pieces;
  const lead = leadOf(first, repeated);
  let tokens = (first?.tokens ?? 0) + cutting.count(lead);
  let end = 1;
  for (let next = pieces[end]; next !== undefined; next = pieces[end]) {
    tokens += next.tokens + 1;
    if (tokens > room) break;
    end += 1;
  }
  const fits = (content: string) => cutting.count(content) <= cutting.maxTokens;
  // The pieces were counted apart; together they may come to a little more.
  for (; end > 1; end -= 1) {
    const content = together(line, lead, bodyOf(pieces.slice(0, end)));
    if (fits(content)) return { pieces: pieces.slice(0, end), content };
  }
  const body = bodyOf(pieces.slice(0, 1));
  const content = [together(line, lead, body), together(line, '', body)].find(fits) ?? body;
  return { pieces: pieces.slice(0, 1), content };
}

/** What stands before the passage's own text, with what parts the two. */
function leadOf(first: Piece | undefined, repeated: string): string {
  const lead = first === undefined || first.head === '' ? repeated : first.head;
  return lead === '' ? '' : lead + (first?.gap ?? blockGap);
}

function bodyOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text, gap }, place) => (place === 0 ? text : gap + text)).join('');
}

function together(line: string, lead: string, body: string): string {
  return [line, lead + body].filter((part) => part !== '').join(blockGap);
}

/** The whole sentences at the end of a passage that the next one may repeat. */
function endOf(taken: readonly Piece[], { overlapTokens, count }: Cutting): string {
  const last = taken.at(-1);
  if (last === undefined || !last.isProse || overlapTokens === 0) return '';
  const spans = sentenceSpans(last.text);
  let from = last.text.length;
  for (const [start] of spans.toReversed()) {
    if (count(last.text.slice(start)) > overlapTokens) break;
    from = start;
  }
  return last.text.slice(from);
}

function piecesOf(block: Block, at: Cutting & { readonly room: number }): readonly Piece[] {
  const { text, kind, page } = block;
  const fits = (part: string) => part.length <= at.room * uncountedLength && at.count(part) <= at.room;
  const spans = cut(text, [0, text.length], { cutters: cuttersOf[kind], fits });
  const head = kind === 'table' && spans.length > 1 ? tableHead(text, at) : '';
  return spans.map(([start, end], place) => {
    const before = spans[place - 1];
    const part = text.slice(start, end);
    return {
      text: part,
      gap: before === undefined ? blockGap : text.slice(before[1], start),
      tokens: at.count(part),
      head: place === 0 ? '' : head,
      isProse: kind === 'paragraph' || kind === 'list',
      page,
    };
  });
}

function tableHead(text: string, { maxTokens, count }: Cutting): string {
  const head = text.slice(0, text.indexOf('\n'));
  return count(head) <= maxTokens * headShare ? head : '';
}

/** Cuts a part of a text with the first cutter that cuts it, and what is still too long with the next. */
function cut(
  text: string,
  [start, end]: Span,
  by: { readonly cutters: readonly Cutter[]; readonly fits: (part: string) => boolean },
): readonly Span[] {
  const part = text.slice(start, end);
  const [cutter, ...rest] = by.cutters;
  if (cutter === undefined || by.fits(part)) return [[start, end]];
  const spans = cutter(part);
  // What halves goes on halving; the others have done all that they can.
  const cutters = cutter === halves && spans.length > 1 ? by.cutters : rest;
  return spans.flatMap((span) => cut(text, [start + span[0], start + span[1]], { ...by, cutters }));
}

const cuttersOf: Readonly<Record<BlockKind, readonly Cutter[]>> = {
  heading: [halves],
  paragraph: [sentenceSpans, halves],
  list: [itemSpans, lineSpans, sentenceSpans, halves],
  table: [lineSpans, halves],
  code: [lineSpans, halves],
};

function sentenceSpans(text: string): readonly Span[] {
  // A line may end within a sentence.
  const flat = text.replaceAll('\n', ' ');
  let from = 0;
  return sentencesOf(flat).map((sentence): Span => {
    const start = flat.indexOf(sentence.text, from);
    from = start + sentence.text.length;
    return [start, from];
  });
}

/** Lines that are not empty, with their indentation. */
function lineSpans(text: string): readonly Span[] {
  return spansBetween(text, /\n/g);
}

/** Items of a list: an indented line belongs to what stands above it. */
function itemSpans(text: string): readonly Span[] {
  return spansBetween(text, /\n(?=\S)/g);
}

function spansBetween(text: string, edges: RegExp): readonly Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const { index } of [...text.matchAll(edges), { index: text.length }]) {
    if (text.slice(start, index).trim() !== '') spans.push([start, index]);
    start = index + 1;
  }
  return spans;
}

/** Two parts: at the white space nearest to the middle, else between two characters there. */
function halves(text: string): readonly Span[] {
  const middle = text.length >> 1;
  for (let away = 0; away < Math.min(middle, farthestSpace); away += 1) {
    for (const place of [middle - away, middle + away]) {
      if (!/\s/.test(text[place] ?? '')) continue;
      const [left, right] = [text.slice(0, place).trimEnd().length, text.slice(place)];
      if (left > 0 && right.trim() !== '')
        return [
          [0, left],
          [text.length - right.trimStart().length, text.length],
        ];
    }
  }
  const low = text.charCodeAt(middle);
  const place = low >= 0xdc00 && low <= 0xdfff ? middle + 1 : middle;
  return place === 0 || place >= text.length
    ? [[0, text.length]]
    : [
        [0, place],
        [place, text.length],
      ];
}
