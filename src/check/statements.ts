// The statements of an answer (design K1): sentences, list entries, rows of tables, blocks of code, each with its place.

import { sentencesOf } from '../assembly/summarise/sentences.ts';
import { months } from './months.ts';

/** A stretch of a text, the end exclusive, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A statement. A `label` (a heading, the head of a table) claims nothing by its words alone. */
export interface Statement extends Span {
  readonly kind: 'prose' | 'label' | 'code';
}

interface Line extends Span {
  readonly text: string;
}

const fence = /^\s*(?:```|~~~)/;
const heading = /^\s{0,3}#{1,6}\s/;
const row = /^\s*\|.*\|\s*$/;
const rule = /^[\s|:*_=-]*[-*_=][\s|:*_=-]*$/;
const marker = /^(?:\s*>)*\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)?/;

/** The statements of a folded text in order. */
export function statementsOf(folded: string): readonly Statement[] {
  const lines = linesOf(folded);
  const statements: Statement[] = [];
  let paragraph: Line[] = [];
  const close = (): void => {
    for (const sentence of sentencesIn(paragraph, folded)) statements.push({ ...sentence, kind: 'prose' });
    paragraph = [];
  };
  for (let place = 0; place < lines.length; place += 1) {
    const line = lines[place];
    if (line === undefined) continue;
    if (fence.test(line.text)) {
      close();
      const last = closingFence(lines, place);
      const inside = { start: lines[place + 1]?.start ?? line.end, end: lines[last - 1]?.end ?? line.end };
      if (last > place + 1) statements.push({ ...trimmed(inside, folded), kind: 'code' });
      place = last;
      continue;
    }
    const kind = lineKind(line.text, lines[place + 1]?.text ?? '');
    if (kind !== 'paragraph') close();
    if (kind === 'row' || kind === 'label')
      statements.push({ ...trimmed(line, folded), kind: kind === 'row' ? 'prose' : 'label' });
    if (kind !== 'paragraph') continue;
    if (!goesOn(paragraph.at(-1)?.text, line.text)) close();
    paragraph.push(line);
  }
  close();
  return statements.flatMap((statement) => pieces(statement, folded)).filter(({ start, end }) => end > start);
}

/** Nothing that is meant to be read is longer; a longer one is cut, so that work grows with the text and no faster. */
const longestStatement = 4_000;

function pieces(statement: Statement, folded: string): readonly Statement[] {
  const found: Statement[] = [];
  let { start } = statement;
  while (statement.end - start > longestStatement) {
    const space = folded.lastIndexOf(' ', start + longestStatement);
    const end = space > start ? space : start + longestStatement;
    found.push({ ...statement, start, end });
    start = end + (space > start ? 1 : 0);
  }
  return [...found, { ...statement, start }];
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const part of text.split('\n')) {
    lines.push({ text: part.replace(/\r$/, ''), start, end: start + part.length });
    start += part.length + 1;
  }
  return lines;
}

function closingFence(lines: readonly Line[], open: number): number {
  for (let place = open + 1; place < lines.length; place += 1) if (fence.test(lines[place]?.text ?? '')) return place;
  return lines.length;
}

function lineKind(line: string, next: string): 'paragraph' | 'label' | 'row' | 'nothing' {
  if (line.trim() === '' || rule.test(line)) return 'nothing';
  if (heading.test(line)) return 'label';
  if (!row.test(line)) return 'paragraph';
  return row.test(next) && rule.test(next) ? 'label' : 'row';
}

/** A line that was only wrapped goes on with the sentence before it. */
function goesOn(before: string | undefined, line: string): boolean {
  if (before === undefined) return true;
  if (/(?:[.!?:;…。！？\]]|\s\s)$/.test(before) || before.length < 40) return false;
  return marker.exec(line)?.[0].trim() === '';
}

/** Sentences of a paragraph; line ends within it count as spaces, and what was cut at an abbreviation is joined again. */
function sentencesIn(paragraph: readonly Line[], folded: string): readonly Span[] {
  const [first] = paragraph;
  const last = paragraph.at(-1);
  if (first === undefined || last === undefined) return [];
  const begin = first.start + (marker.exec(first.text)?.[0].length ?? 0);
  const text = folded.slice(begin, last.end).replace(/[\r\n]/g, ' ');
  const spans: Span[] = [];
  let at = 0;
  for (const sentence of sentencesOf(text)) {
    const start = text.indexOf(sentence.text, at);
    at = start + sentence.text.length;
    const before = spans.at(-1);
    if (
      before !== undefined &&
      isJoined(text.slice(Math.max(before.start - begin, before.end - begin - 12), before.end - begin), sentence.text)
    ) {
      spans[spans.length - 1] = { start: before.start, end: begin + at };
    } else spans.push({ start: begin + start, end: begin + at });
  }
  return spans;
}

const shortened =
  /(?:^|[^\p{L}])(?:mio|mrd|tsd|abb|art|std|sept|jan|feb|aug|okt|oct|nov|dez|dec|avr|juil|sr|sra|bsp|gem|max|min|hr|fr)\.$/iu;

/** `2,5 Mio. Euro` and `28. September` are no ends of sentences. */
function isJoined(ending: string, next: string): boolean {
  if (shortened.test(ending)) return true;
  if (!/(?:^|[^\p{L}\d.,])\d{1,2}\.$/u.test(ending)) return false;
  const word = /^\p{L}+/u.exec(next)?.[0].toLowerCase() ?? '';
  return months.has(word) || /^(?:Tag|Platz|Stelle|Quartal|Jahrhundert)/.test(next);
}

function trimmed({ start, end }: Span, text: string): Span {
  let from = start;
  let until = end;
  while (from < until && /[\s#|]/.test(text[from] ?? '')) from += 1;
  while (until > from && /[\s|]/.test(text[until - 1] ?? '')) until -= 1;
  return { start: from, end: until };
}
