// The text of a PDF, page by page: lines of one paragraph are joined, and a wider gap or a new column begins the next.

import { getDocumentProxy } from 'unpdf';
import { createOutline } from './structure.ts';
import type { Outline, ReadDocument } from './structure.ts';

/** A piece of text on a page, as the library gives it. */
interface TextItem {
  readonly str: string;
  /** Where it stands: the last two numbers are the distances from the left and from the bottom. */
  readonly transform: readonly number[];
  readonly height: number;
  /** True at the end of a line. */
  readonly hasEOL: boolean;
}

interface Line {
  text: string;
  /** Distance of its foot from the bottom of the page, in points. */
  readonly bottom: number;
  height: number;
}

/** Lines further apart than so many times their height do not belong to one paragraph. */
const widestGap = 1.9;

/** Reads a PDF; the title is that of its properties. Text alone: what is a picture of text is not read. */
export async function readPdf(bytes: Uint8Array): Promise<ReadDocument> {
  const outline = createOutline();
  let title: string | null = null;
  try {
    // The library takes the bytes away from their owner, takes no Buffer, and would print warnings to stdout.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    try {
      title = await titleOf(pdf);
      for (let number = 1; number <= pdf.numPages; number += 1) {
        const page = await pdf.getPage(number);
        const { items } = await page.getTextContent();
        addPage(
          outline,
          items.filter((item): item is typeof item & TextItem => 'str' in item),
          number,
        );
        page.cleanup();
      }
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (error) {
    return { kind: 'refused', reason: reasonOf(error) };
  }
  const blocks = outline.end();
  if (blocks.length === 0) return { kind: 'empty', reason: 'it holds no text; its pages may be pictures of text' };
  return { kind: 'document', document: { title, blocks } };
}

/** Nothing that the library says goes on: it may quote the file. */
function reasonOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return name === 'PasswordException' ? 'it is encrypted and asks for a password' : 'it is no PDF, or a damaged one';
}

async function titleOf(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): Promise<string | null> {
  const { info } = await pdf.getMetadata();
  const title: unknown = 'Title' in info ? info.Title : null;
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : null;
}

function addPage(outline: Outline, items: readonly TextItem[], page: number): void {
  let paragraph = '';
  let before: Line | null = null;
  for (const line of linesOf(items)) {
    if (before !== null && !belongTogether(before, line)) {
      outline.add('paragraph', paragraph, page);
      paragraph = '';
    }
    paragraph = joined(paragraph, line.text);
    before = line;
  }
  outline.add('paragraph', paragraph, page);
}

function linesOf(items: readonly TextItem[]): readonly Line[] {
  const lines: Line[] = [];
  let line: Line | null = null;
  for (const { str, transform, height, hasEOL } of items) {
    // U+0000 stands where a font names no character.
    const text = str.toWellFormed().replaceAll('\u0000', '');
    if (line === null) {
      line = { text, bottom: transform[5] ?? 0, height };
      lines.push(line);
    } else {
      line.text += text;
      line.height = Math.max(line.height, height);
    }
    if (hasEOL) line = null;
  }
  return lines.filter(({ text }) => text.trim() !== '');
}

function belongTogether(above: Line, below: Line): boolean {
  const gap = above.bottom - below.bottom;
  return gap >= 0 && gap <= widestGap * Math.max(above.height, below.height, 1);
}

/** A word that was parted at the end of a line is made whole again. */
function joined(paragraph: string, line: string): string {
  const [above, below] = [paragraph.trimEnd(), line.trim()];
  if (above === '') return below;
  if (/\p{Ll}[-\u00AD]$/u.test(above.slice(-3)) && /^\p{Ll}/u.test(below)) return above.slice(0, -1) + below;
  return `${above} ${below}`;
}
