// What every reader makes of a document: its title, and its blocks in order, each under the headings that it stands under.

/** What a block is; a heading is a block only where nothing stands under it. */
export type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'code';

/** A part of a document that belongs together. */
export interface Block {
  readonly kind: BlockKind;
  /** Rows of a table and items of a list stand on lines of their own; nothing stands around it. */
  readonly text: string;
  /** Headings above it, the outermost first. */
  readonly headings: readonly string[];
  /** Page of a document that has pages, from 1. */
  readonly page: number | null;
}

/** A document that was read. */
export interface StructuredDocument {
  /** What the document calls itself, or null. */
  readonly title: string | null;
  readonly blocks: readonly Block[];
}

/** A document; one that says nothing; or one that cannot be read. A reason completes the sentence "left out: …". */
export type ReadDocument =
  | { readonly kind: 'document'; readonly document: StructuredDocument }
  | { readonly kind: 'empty' | 'refused'; readonly reason: string };

/** Takes the parts of a document in order. */
export interface Outline {
  heading(depth: number, text: string): void;
  add(kind: Exclude<BlockKind, 'heading'>, text: string, page?: number): void;
  /** The first heading; null where there is none. */
  readonly firstHeading: string | null;
  /** Closes what is open and gives all blocks. */
  end(): readonly Block[];
}

/** A longer one is a paragraph that looks like a heading. In UTF-16 code units. */
const longestHeading = 300;

interface OpenHeading {
  readonly depth: number;
  readonly text: string;
  /** True once something stands under it. */
  isUsed: boolean;
}

/** An outline without any part. */
export function createOutline(): Outline {
  const blocks: Block[] = [];
  let open: readonly OpenHeading[] = [];
  let path: readonly string[] = [];
  let firstHeading: string | null = null;
  const use = (): void => {
    for (const heading of open) heading.isUsed = true;
  };
  const push = (kind: BlockKind, text: string, page: number | null): void => {
    const trimmed = trimmedBlock(text);
    if (trimmed === '') return;
    use();
    blocks.push({ kind, text: trimmed, headings: path, page });
  };
  /** Closes the headings of this depth and deeper; one that nothing stands under becomes a block, so it is not lost. */
  const close = (depth: number): void => {
    for (let last = open.at(-1); last !== undefined && last.depth >= depth; last = open.at(-1)) {
      open = open.slice(0, -1);
      path = open.map(({ text }) => text);
      if (!last.isUsed) push('heading', last.text, null);
    }
  };
  return {
    heading(depth, given) {
      const text = given.replace(/\s+/g, ' ').trim();
      if (text.length > longestHeading) return push('paragraph', text, null);
      if (text === '') return;
      close(depth);
      use();
      open = [...open, { depth, text, isUsed: false }];
      path = open.map((heading) => heading.text);
      firstHeading ??= text;
    },
    add: (kind, text, page) => push(kind, text, page ?? null),
    get firstHeading() {
      return firstHeading;
    },
    end() {
      close(0);
      return blocks;
    },
  };
}

/** Without empty lines around it and white space at line ends; the first line keeps its indentation. */
function trimmedBlock(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.join('\n').replace(/^\n+/, '').trimEnd();
}
