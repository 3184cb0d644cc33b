// HTML as blocks, from its tags alone: no tree is built, so that no depth of nesting costs more than its length.

import { Tokenizer, TokenizerMode } from 'parse5';
import type { Token } from 'parse5';
import { createOutline } from './structure.ts';
import type { Outline, StructuredDocument } from './structure.ts';

/** What a person does not read, or reads on every page. */
const skippedTags = new Set(
  'script style template nav svg math iframe object canvas audio video select button noscript noframes noembed'.split(
    ' ',
  ),
);

const blockTags = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer ' +
    'form head header hgroup hr html legend main p section summary'
  ).split(' '),
);

const listTags = new Set(['ul', 'ol', 'menu', 'dir']);

/** Tags whose content is no HTML, by how the tokenizer reads it. */
const rawModes = new Map([
  ['script', TokenizerMode.SCRIPT_DATA],
  ...['style', 'xmp', 'iframe', 'noembed', 'noframes'].map((tag) => [tag, TokenizerMode.RAWTEXT] as const),
  ...['title', 'textarea'].map((tag) => [tag, TokenizerMode.RCDATA] as const),
]);

/** Where the reader is in a page. */
interface Page {
  readonly outline: Outline;
  title: string;
  /** Whole lines since the last block ended. */
  lines: string[];
  /** The line that is being read: it only grows, and what its end is like is remembered, so that no length is looked through twice. */
  line: string;
  /** True where white space would add nothing. */
  isSpaced: boolean;
  /** True between an item's marker and its text. */
  isMarker: boolean;
  /** The element that is passed over with all in it, and how often it was opened within itself. */
  skipped: { readonly tag: string; depth: number } | null;
  isTitle: boolean;
  /** Depth of the heading that is open; 0 for none. */
  heading: number;
  isPreformatted: boolean;
  /** Lists that are open, outermost first: the next number of each, or null for one without numbers. */
  readonly lists: (number | null)[];
  tables: number;
  /** True before the first cell of a row. */
  isRowStart: boolean;
}

/** Reads a page; the title is its first heading, else its `<title>`. */
export function readHtml(text: string): StructuredDocument {
  const outline = createOutline();
  const title = addHtml(outline, text).replace(/\s+/g, ' ').trim();
  const blocks = outline.end();
  return { title: outline.firstHeading ?? (title === '' ? null : title), blocks };
}

/** Adds the blocks of a piece of HTML and gives what stands in its `<title>`. */
export function addHtml(outline: Outline, text: string): string {
  const page: Page = {
    outline,
    title: '',
    lines: [],
    line: '',
    isSpaced: true,
    isMarker: false,
    skipped: null,
    isTitle: false,
    heading: 0,
    isPreformatted: false,
    lists: [],
    tables: 0,
    isRowStart: true,
  };
  const tokenizer: Tokenizer = new Tokenizer(
    {},
    {
      onStartTag(tag) {
        const mode = rawModes.get(tag.tagName);
        if (mode !== undefined) tokenizer.state = mode;
        start(page, tag);
      },
      onEndTag: ({ tagName }) => end(page, tagName),
      onCharacter: ({ chars }) => read(page, chars),
      onWhitespaceCharacter: ({ chars }) => read(page, chars),
      onNullCharacter() {},
      onComment() {},
      onDoctype() {},
      onEof() {},
    },
  );
  tokenizer.write(text, true);
  flush(page);
  return page.title;
}

/** Text with its character references (`&amp;`) resolved. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const parts: string[] = [];
  const keep = ({ chars }: Token.CharacterToken) => void parts.push(chars);
  const nothing = () => {};
  const tokenizer = new Tokenizer(
    {},
    {
      onCharacter: keep,
      onWhitespaceCharacter: keep,
      onNullCharacter: nothing,
      onStartTag: nothing,
      onEndTag: nothing,
      onComment: nothing,
      onDoctype: nothing,
      onEof: nothing,
    },
  );
  // In this mode there are no tags but references.
  tokenizer.state = TokenizerMode.RCDATA;
  tokenizer.write(text, true);
  return parts.join('');
}

function start(page: Page, { tagName: tag, attrs, selfClosing }: Token.TagToken): void {
  if (page.skipped !== null) {
    if (page.skipped.tag === tag) page.skipped.depth += 1;
    return;
  }
  if (skippedTags.has(tag)) {
    if (!selfClosing) page.skipped = { tag, depth: 1 };
    return;
  }
  if (tag === 'title') page.isTitle = page.title === '';
  else if (tag === 'br') breakLine(page);
  else if (tag === 'img') read(page, attrs.find(({ name }) => name === 'alt')?.value ?? '');
  else if (/^h[1-6]$/.test(tag)) startHeading(page, Number(tag[1]));
  else if (tag === 'pre') startPreformatted(page);
  else if (listTags.has(tag)) startList(page, tag);
  else if (tag === 'li') startItem(page);
  else if (['table', 'tr', 'td', 'th'].includes(tag)) startTablePart(page, tag);
  else if (blockTags.has(tag)) boundary(page);
}

function end(page: Page, tag: string): void {
  if (page.skipped !== null) {
    if (page.skipped.tag === tag) page.skipped.depth -= 1;
    if (page.skipped.depth === 0) page.skipped = null;
    return;
  }
  if (tag === 'title') page.isTitle = false;
  else if (/^h[1-6]$/.test(tag)) {
    if (page.heading > 0) flush(page);
    else boundary(page);
  } else if (tag === 'pre') endPreformatted(page);
  else if (listTags.has(tag)) endList(page);
  else if (tag === 'table') endTable(page);
  else if (blockTags.has(tag)) boundary(page);
}

function read(page: Page, chars: string): void {
  if (page.skipped !== null) return;
  if (page.isTitle) page.title += chars;
  else if (page.isPreformatted) append(page, chars);
  else {
    const spaced = chars.replace(/\s+/g, ' ');
    append(page, page.isSpaced ? spaced.trimStart() : spaced);
  }
}

function append(page: Page, text: string): void {
  if (text === '') return;
  page.line += text;
  page.isSpaced = /\s/.test(text.slice(-1));
  page.isMarker = false;
}

function newLine(page: Page): void {
  const text = page.line.trimEnd();
  if (text !== '') page.lines.push(text);
  page.line = page.tables > 0 ? '' : indentation(page.lists.length);
  page.isSpaced = true;
  page.isMarker = false;
}

/** Lists deeper than this look alike: else their white space would be longer than their text. */
const deepestIndentation = 8;

function indentation(depth: number): string {
  return '  '.repeat(Math.min(depth, deepestIndentation));
}

/** What was read becomes a block of its kind. */
function flush(page: Page): void {
  const { outline, heading } = page;
  const text = [...page.lines, page.line].join('\n');
  page.lines = [];
  page.line = '';
  page.isSpaced = true;
  page.isMarker = false;
  page.heading = 0;
  if (heading > 0) outline.heading(heading, text);
  else if (page.isPreformatted) outline.add('code', text);
  else if (page.tables > 0) outline.add('table', text);
  else outline.add(page.lists.length > 0 ? 'list' : 'paragraph', text);
}

/** An edge of a block: within a list a new line, within a cell or a heading a space. */
function boundary(page: Page): void {
  if (page.isPreformatted) return;
  if (page.tables > 0 || page.heading > 0) read(page, ' ');
  else if (page.lists.length === 0) flush(page);
  else if (!page.isMarker) newLine(page);
}

function breakLine(page: Page): void {
  if (page.isPreformatted) append(page, '\n');
  else if (page.tables > 0 || page.heading > 0) read(page, ' ');
  else newLine(page);
}

function isPlain(page: Page): boolean {
  return page.lists.length === 0 && page.tables === 0;
}

function startHeading(page: Page, depth: number): void {
  if (!isPlain(page)) return boundary(page);
  flush(page);
  page.isPreformatted = false;
  page.heading = depth;
}

function startPreformatted(page: Page): void {
  if (isPlain(page)) flush(page);
  else if (page.tables === 0) newLine(page);
  page.isPreformatted = true;
}

function endPreformatted(page: Page): void {
  if (page.isPreformatted && isPlain(page)) flush(page);
  page.isPreformatted = false;
}

function startList(page: Page, tag: string): void {
  if (isPlain(page)) flush(page);
  page.lists.push(tag === 'ol' ? 1 : null);
}

function startItem(page: Page): void {
  const depth = page.lists.length;
  if (depth === 0 || page.tables > 0) return boundary(page);
  const number = page.lists[depth - 1] ?? null;
  if (number !== null) page.lists[depth - 1] = number + 1;
  newLine(page);
  page.line = `${indentation(depth - 1)}${number === null ? '-' : `${number}.`} `;
  page.isMarker = true;
}

function endList(page: Page): void {
  if (page.lists.length === 1 && page.tables === 0) flush(page);
  page.lists.pop();
}

function startTablePart(page: Page, tag: string): void {
  if (tag === 'table') {
    if (isPlain(page)) flush(page);
    page.tables += 1;
  } else if (page.tables === 0) boundary(page);
  else if (tag === 'tr') newLine(page);
  else if (!page.isRowStart) append(page, page.isSpaced ? '| ' : ' | ');
  page.isRowStart = tag === 'table' || tag === 'tr';
}

function endTable(page: Page): void {
  if (page.tables === 1 && page.lists.length === 0) flush(page);
  page.tables = Math.max(0, page.tables - 1);
}
