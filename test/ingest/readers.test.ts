// Reading documents: what each format's structure becomes, and what is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/ingest/decode.ts';
import { readDocumentLine } from '../../src/ingest/document_line.ts';
import { documentTypeOf } from '../../src/ingest/document_type.ts';
import { matchesPattern } from '../../src/ingest/glob.ts';
import { readHtml } from '../../src/ingest/html.ts';
import { readMarkdown } from '../../src/ingest/markdown.ts';
import { readDocument, readText } from '../../src/ingest/read_document.ts';
import type { ReadDocument } from '../../src/ingest/structure.ts';
import { pdfFile } from './pdf_file.ts';

function blocksOf(document: ReturnType<typeof readMarkdown>) {
  return document.blocks.map(({ kind, text, headings }) => [kind, headings.join('/'), text]);
}

function documentOf(read: ReadDocument) {
  if (read.kind !== 'document') throw new Error(read.reason);
  return read.document;
}

describe('Markdown', () => {
  it('[Q8] gives headings, paragraphs, lists, tables and code as blocks', () => {
    const text = [
      '---\ntitle: "The guide"\ntags: [a]\n---',
      '# Guide\n\nHello *big* `world` &amp; [site](https://x.example/a), [here](./b.md),\nnext line.',
      '## Steps\n\n1. one\n   - inner **bold**\n2. two\n\n- [x] done\n- [ ] open',
      '| a | b |\n|---|---|\n| 1 | `2` |',
      '```ts\nconst a = 1;\n\n  return a;\n```',
      '> # quoted\n>\n> words\n\n## Empty\n\n<div><h2>From HTML</h2><p>para</p></div>',
    ].join('\n\n');
    const read = readMarkdown(text);
    expect(read.title).toBe('The guide');
    expect(blocksOf(read)).toEqual([
      ['paragraph', 'Guide', 'Hello big world & site (https://x.example/a), here, next line.'],
      ['list', 'Guide/Steps', '1. one\n  - inner bold\n2. two'],
      ['list', 'Guide/Steps', '- [x] done\n- [ ] open'],
      ['table', 'Guide/Steps', 'a | b\n1 | 2'],
      ['code', 'Guide/Steps', 'const a = 1;\n\n  return a;'],
      ['paragraph', 'Guide/Steps', 'quoted'],
      ['paragraph', 'Guide/Steps', 'words'],
      ['heading', 'Guide', 'Empty'],
      ['paragraph', 'Guide/From HTML', 'para'],
    ]);
  });

  it('[Q8] takes its first heading for its title where no front matter names one', () => {
    expect(readMarkdown('Text.\n\n## Second level\n').title).toBe('Second level');
    expect(readMarkdown('Text alone.').title).toBeNull();
    expect(blocksOf(readMarkdown('---\n\nBetween rules.\n\n---\n'))).toEqual([['paragraph', '', 'Between rules.']]);
  });

  it('[Q8] refuses what nests too deep, and does not fall over it', async () => {
    for (const mark of ['>', '- ', '1. ', '> * ']) {
      expect(await readText('markdown', `${mark.repeat(200_000)} deep`)).toMatchObject({ kind: 'refused' });
    }
  });
});

describe('HTML', () => {
  it('[Q8] keeps what a person reads: headings, lists, cells, code, entities', () => {
    const read = readHtml(
      `<!doctype html><html><head><title>Site &mdash; page</title><style>p{}</style></head><body>
       <nav><ul><li>Menu</li></ul></nav><script>if (a < b) document.write('<p>no</p>')</script>
       <h1>Main <em>title</em></h1><p>One<br>two &amp; three&nbsp;four</p>
       <ul><li>first</li><li><p>second</p><ol><li>inner</li></ol></li></ul>
       <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><b>2</b> x</td></tr></table>
       <h2>Code</h2><pre><code>line 1
  line 2 &lt;tag&gt;</code></pre><div>Loose <img alt="diagram"> text</div><h3></h3></body></html>`,
    );
    expect(read.title).toBe('Main title');
    expect(blocksOf(read)).toEqual([
      ['paragraph', 'Main title', 'One\ntwo & three four'],
      ['list', 'Main title', '- first\n- second\n  1. inner'],
      ['table', 'Main title', 'a | b\n1 | 2 x'],
      ['code', 'Main title/Code', 'line 1\n  line 2 <tag>'],
      ['paragraph', 'Main title/Code', 'Loose diagram text'],
    ]);
  });

  it('[Q8] takes <title> for its title where it has no heading', () => {
    expect(readHtml('<title> A\n page </title><p>x').title).toBe('A page');
  });

  it('[Q8] a hundred thousand elements in each other cost no more than their length', () => {
    for (const tag of ['div', 'ul><li', 'table><tr><td', 'b']) {
      const [{ text } = { text: '' }] = readHtml(`${`<${tag}>`.repeat(100_000)}deep`).blocks;
      expect(text.endsWith('deep')).toBe(true);
    }
  });
});

describe('PDF', () => {
  const pages = [
    [
      ['The store keeps every ver-', 'sion of a document (in order).'],
      ['A second paragraph stands', 'apart.'],
    ],
    [['On page two.']],
  ];

  it.each([{ isCompressed: undefined }, { isCompressed: true as const }])(
    '[Q8] gives the paragraphs of each page, from plain and from compressed streams ($isCompressed)',
    async (manner) => {
      const given = { pages, title: 'The manual', ...(manner.isCompressed ? { isCompressed: true as const } : {}) };
      const { title, blocks } = documentOf(await readDocument('pdf', pdfFile(given)));
      expect(title).toBe('The manual');
      expect(blocks.map(({ text, page }) => [page, text])).toEqual([
        [1, 'The store keeps every version of a document (in order).'],
        [1, 'A second paragraph stands apart.'],
        [2, 'On page two.'],
      ]);
    },
  );

  it('[Q8] says why it cannot be read: encrypted, damaged, or without text', async () => {
    expect(await readDocument('pdf', pdfFile({ pages, isEncrypted: true }))).toEqual({
      kind: 'refused',
      reason: 'it is encrypted and asks for a password',
    });
    for (const bytes of [Buffer.from('no pdf at all'), pdfFile({ pages }).subarray(0, 40)]) {
      expect(await readDocument('pdf', bytes)).toMatchObject({
        kind: 'refused',
        reason: 'it is no PDF, or a damaged one',
      });
    }
    expect(await readDocument('pdf', pdfFile({ pages: [[]] }))).toMatchObject({
      kind: 'empty',
      reason: expect.stringContaining('no text'),
    });
  });
});

describe('any text at all', () => {
  const mark = fc.constantFrom(
    '<',
    '>',
    '</',
    'table',
    'li',
    'pre',
    'h1',
    '# ',
    '- ',
    '1. ',
    '|',
    '```',
    '[',
    '](',
    '&',
    ';',
    '\n',
    ' ',
  );
  const text = fc.array(fc.oneof(mark, fc.string({ maxLength: 6 })), { maxLength: 60 }).map((parts) => parts.join(''));

  it('[Q8] is read or refused, and plain text keeps all of it', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('markdown', 'html', 'text'), async (given, type) => {
        const read = await readText(type, given);
        expect(['document', 'empty', 'refused']).toContain(read.kind);
        if (type !== 'text' || read.kind !== 'document') return;
        const kept = read.document.blocks.map((block) => block.text).join('');
        expect(kept.replace(/\s+/g, '')).toBe(given.replace(/\s+/g, ''));
      }),
      { numRuns: 300 },
    );
  });
});

describe('bytes', () => {
  it('[Q8] UTF-8 and marked UTF-16 are read, anything else is refused', () => {
    const utf16 = Buffer.from('\uFEFFGrüße\r\n', 'utf16le');
    expect(decodeText(utf16)).toEqual({ text: 'Grüße\n' });
    expect(decodeText(Buffer.from(utf16).swap16())).toEqual({ text: 'Grüße\n' });
    expect(decodeText(Buffer.from('\uFEFFGrüße\rx'))).toEqual({ text: 'Grüße\nx' });
    expect(decodeText(Buffer.from('Grüße', 'latin1'))).toEqual({ refusal: expect.stringContaining('neither UTF-8') });
    expect(decodeText(Buffer.from('a\u0000b'))).toEqual({ refusal: expect.stringContaining('U+0000') });
  });

  it('[Q8] the end of a name says the type', () => {
    expect(['a.md', 'b/C.HTM', 'x.pdf', 'y.ndjson', 'z.txt'].map(documentTypeOf)).toEqual([
      'markdown',
      'html',
      'pdf',
      'jsonl',
      'text',
    ]);
    expect(['a.png', 'Makefile', 'md', 'a.md/b'].map(documentTypeOf)).toEqual([null, null, null, null]);
  });
});

describe('lines of JSONL', () => {
  it('[D7,Q8] are checked strictly, by field and without a word of their content', () => {
    const good = { source_uri: 'a', text: 'x\r\ny', metadata: { n: 1 }, valid_from: '2026-01-02T03:04:05.000000Z' };
    expect(readDocumentLine(JSON.stringify(good))).toMatchObject({
      kind: 'document',
      document: { sourceUri: 'a', text: 'x\ny', type: 'text', metadata: { n: 1 }, collection: null },
    });
    const refused = (line: string) => readDocumentLine(line);
    expect(refused('{"text":')).toEqual({ kind: 'refused', field: '', reason: 'is no JSON' });
    for (const [more, field] of [
      [{ text: ' ' }, 'text'],
      [{ text: 'a\u0000' }, 'text'],
      [{ user_id: 'jane' }, 'user_id'],
      [{ valid_from: 'yesterday' }, 'valid_from'],
      [{ type: 'pdf' }, 'type'],
    ] as const) {
      expect(refused(JSON.stringify({ ...good, ...more }))).toMatchObject({ kind: 'refused', field });
    }
    expect(refused('{"text":"x"}')).toMatchObject({ field: 'source_uri' });
  });
});

describe('patterns', () => {
  it('[Q8] compare names, or paths where they have a slash', () => {
    for (const [path, pattern] of [
      ['a/b/c.md', '*.md'],
      ['a/b/c.md', 'a/**'],
      ['a/b/c.md', 'a/**/c.md'],
      ['a/c.md', 'a/**/c.md'],
      ['a/b.md', 'a/?.md'],
      ['x+(1).md', 'x+(1).md'],
    ] as const) {
      expect([path, pattern, matchesPattern(path, pattern)]).toEqual([path, pattern, true]);
    }
    for (const [path, pattern] of [
      ['a/b/c.md', 'a/*'],
      ['a/b.mdx', '*.md'],
      ['b/a/c.md', 'a/**'],
      ['axmd', '*.md'],
    ] as const) {
      expect([path, pattern, matchesPattern(path, pattern)]).toEqual([path, pattern, false]);
    }
  });
});
