// Which files are documents, by the end of their name; nothing else is looked at to tell.

/** Types of file that can be ingested; `jsonl` holds many documents. */
export const documentTypes = ['markdown', 'text', 'html', 'pdf', 'jsonl'] as const;

/** One of {@link documentTypes}. */
export type DocumentType = (typeof documentTypes)[number];

const endings: Readonly<Record<DocumentType, readonly string[]>> = {
  markdown: ['md', 'markdown'],
  text: ['txt', 'text', 'rst', 'adoc', 'org'],
  html: ['html', 'htm', 'xhtml'],
  pdf: ['pdf'],
  jsonl: ['jsonl', 'ndjson'],
};

/** The type of a file by its path, or null for one that is none of ours. */
export function documentTypeOf(path: string): DocumentType | null {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return documentTypes.find((type) => endings[type].includes(ending)) ?? null;
}
