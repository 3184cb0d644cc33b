// Plain text has one structure: empty lines part its paragraphs.

import { createOutline } from './structure.ts';
import type { StructuredDocument } from './structure.ts';

/** Reads plain text; lines stay as they are. */
export function readPlainText(text: string): StructuredDocument {
  const outline = createOutline();
  for (const paragraph of text.split(/\n[^\S\n]*\n/)) outline.add('paragraph', paragraph);
  return { title: null, blocks: outline.end() };
}
