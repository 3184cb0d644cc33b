// Markdown as blocks: what it marks is kept as structure, how it marks it is not kept.

import { marked } from 'marked';
import type { MarkedToken, Token, Tokens } from 'marked';
import { addHtml, decodeEntities } from './html.ts';
import { createOutline } from './structure.ts';
import type { Outline, StructuredDocument } from './structure.ts';

/** Marks of quotations and items in each other: the parser calls itself for each and takes quadratic time for all. */
const tooDeep = /^[^\S\n]*(?:(?:>|[-*+][^\S\n]|\d{1,9}[.)][^\S\n])[^\S\n]*){500}/m;

/**
 * Reads Markdown (GitHub's); the title is that of the front matter, else the first heading. Throws RangeError where parts
 * stand in each other too deep.
 */
export function readMarkdown(text: string): StructuredDocument {
  if (tooDeep.test(text)) throw new RangeError('nested too deep');
  const { title, body } = withoutFrontMatter(text);
  const outline = createOutline();
  for (const token of marked.lexer(body)) addBlock(outline, token, 'outline');
  return { title: title ?? outline.firstHeading, blocks: outline.end() };
}

function withoutFrontMatter(text: string): { readonly title: string | null; readonly body: string } {
  // A first line of a key: text between two rules is no front matter.
  const found = /^---[^\S\n]*\n(?=[\w-]+[^\S\n]*:)([\s\S]*?\n)(?:---|\.\.\.)[^\S\n]*(?:\n|$)/.exec(text);
  if (found === null) return { title: null, body: text };
  const named = /^title:[^\S\n]*(.*)$/m.exec(found[1] ?? '')?.[1]?.trim() ?? '';
  const title = /^(["'])(.*)\1$/.exec(named)?.[2] ?? named;
  return { title: title === '' ? null : title, body: text.slice(found[0].length) };
}

/** A heading within a quotation opens no section of the document. */
function addBlock(outline: Outline, given: Token, place: 'outline' | 'quotation'): void {
  // Of marked's own kinds only: no extension is in use.
  const token = given as MarkedToken;
  switch (token.type) {
    case 'heading':
      if (place === 'outline') outline.heading(token.depth, inlineText(token.tokens));
      else outline.add('paragraph', inlineText(token.tokens));
      break;
    case 'blockquote':
      for (const inner of token.tokens) addBlock(outline, inner, 'quotation');
      break;
    case 'list':
      outline.add('list', listText(token));
      break;
    case 'table':
      outline.add('table', [token.header, ...token.rows].map(rowText).join('\n'));
      break;
    case 'code':
      outline.add('code', token.text);
      break;
    case 'html':
      addHtml(outline, token.text);
      break;
    case 'space':
    case 'hr':
    case 'def':
      break;
    default:
      outline.add('paragraph', inlineText([token]));
  }
}

function rowText(cells: readonly Tokens.TableCell[]): string {
  return cells.map(({ tokens }) => inlineText(tokens).replace(/\s+/g, ' ').trim()).join(' | ');
}

/** An item a line, what stands in it indented below it. */
function listText(list: Tokens.List): string {
  const first = list.start === '' ? 1 : list.start;
  return list.items
    .map((item, place) => {
      const marker = list.ordered ? `${first + place}. ` : '- ';
      const box = item.task ? `[${item.checked === true ? 'x' : ' '}] ` : '';
      const parts = item.tokens.map(itemText).filter((part) => part.trim() !== '');
      return `${marker}${box}${parts.join('\n').replace(/\n/g, '\n  ')}`;
    })
    .join('\n');
}

function itemText(given: Token): string {
  const token = given as MarkedToken;
  switch (token.type) {
    case 'list':
      return listText(token);
    case 'code':
      return token.text;
    case 'table':
      return [token.header, ...token.rows].map(rowText).join('\n');
    case 'blockquote':
      return token.tokens.map(itemText).join('\n');
    case 'space':
    case 'hr':
    case 'def':
    case 'checkbox':
      return '';
    default:
      return inlineText([token]);
  }
}

/** Text as it is read: emphasis and tags gone, a soft line end a space, a link's address beside its text. */
function inlineText(tokens: readonly Token[]): string {
  return tokens.map((given) => inlinePart(given as MarkedToken)).join('');
}

function inlinePart(token: MarkedToken): string {
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? softened(decodeEntities(token.text)) : inlineText(token.tokens);
    case 'link':
      return linkText(token);
    case 'image':
      return decodeEntities(token.text);
    case 'br':
      return '\n';
    case 'html':
      return /^<br\b/i.test(token.text) ? '\n' : '';
    case 'codespan':
    case 'escape':
      return softened(token.text);
    case 'checkbox':
      return '';
    default:
      return 'tokens' in token && token.tokens !== undefined ? inlineText(token.tokens) : softened(token.raw);
  }
}

function softened(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  return lines
    .map((line, place) => (place === 0 ? line : line.trimStart()))
    .map((line, place) => (place === lines.length - 1 ? line : line.trimEnd()))
    .join(' ');
}

/** An address is kept where it leads somewhere by itself and the text does not say it already. */
function linkText({ href, tokens, autolink }: Tokens.Link): string {
  const label = inlineText(tokens);
  const isKept = /^(?:https?|mailto):/i.test(href) && autolink !== true && label !== href;
  return isKept ? `${label} (${href})` : label;
}
