// A file's bytes become a structured document; each reader is loaded when the first file of its type comes.

import { decodeText } from './decode.ts';
import type { DocumentType } from './document_type.ts';
import { readPlainText } from './plain_text.ts';
import type { ReadDocument, StructuredDocument } from './structure.ts';

/** Types that a text can have. */
export type TextType = Exclude<DocumentType, 'pdf' | 'jsonl'>;

/** Reads a file of one document. Throws nothing: what cannot be read is refused with the reason. */
export async function readDocument(type: Exclude<DocumentType, 'jsonl'>, bytes: Uint8Array): Promise<ReadDocument> {
  if (type === 'pdf') return (await import('./pdf.ts')).readPdf(bytes);
  const decoded = decodeText(bytes);
  return 'refusal' in decoded ? { kind: 'refused', reason: decoded.refusal } : readText(type, decoded.text);
}

/** Reads a text. Throws nothing. */
export async function readText(type: TextType, text: string): Promise<ReadDocument> {
  try {
    const document = await structured(type, text);
    if (document.blocks.length === 0) return { kind: 'empty', reason: 'it holds no text' };
    return { kind: 'document', document };
  } catch (error) {
    // The parser of Markdown calls itself for every level.
    if (error instanceof RangeError) return { kind: 'refused', reason: 'its parts stand in each other too deep' };
    throw error;
  }
}

async function structured(type: TextType, text: string): Promise<StructuredDocument> {
  switch (type) {
    case 'markdown':
      return (await import('./markdown.ts')).readMarkdown(text);
    case 'html':
      return (await import('./html.ts')).readHtml(text);
    case 'text':
      return readPlainText(text);
    default:
      throw type satisfies never;
  }
}
