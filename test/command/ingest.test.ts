// The command in two processes: the one that was typed lists and reads the files, the one that holds the memory writes.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pdfFile } from '../ingest/pdf_file.ts';
import type { Parsed } from './run_program.ts';
import { run, runJson, temporaryFolder } from './run_program.ts';

vi.setConfig({ testTimeout: 85_000, hookTimeout: 85_000 });

const folder = temporaryFolder();
const given = { CONTEXT_DATA_DIR: join(folder.path, 'data'), CONTEXT_OWNER_IDLE_SECONDS: '60' };
const root = join(folder.path, 'hand book');

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const told = (json: Parsed): readonly (readonly unknown[])[] =>
  json.documents.map((document: Parsed) => [document.source_uri, document.outcome, document.reason]);

beforeAll(() => {
  put('b.md', '# B\n\nText of b.\n');
  put('a/long.txt', Array.from({ length: 400 }, (_, place) => `Paragraph ${place} of a long text.`).join('\n\n'));
  put('a/page.pdf', pdfFile({ pages: [[['A page about turbines.']]], isCompressed: true }));
  put('a/wrong.html', Buffer.from([0x3c, 0x70, 0x3e, 0xff]));
  put('picture.png', Buffer.alloc(10));
  put('.hidden/c.md', 'Hidden.');
  put('node_modules/d.md', 'A package.');
  symlinkSync(join(root, '.hidden'), join(root, 'link'));
});
afterAll(async () => {
  await run(['stop'], given);
  folder.discard();
});

describe('ingest', () => {
  it('[Q8,N7] takes a folder over to the process that holds the memory: text and binary files, one after the other', async () => {
    const { code, json, stderr } = await runJson(['ingest', root], given);
    expect(told(json)).toEqual([
      ['hand book/a/long.txt', 'added', null],
      ['hand book/a/page.pdf', 'added', null],
      ['hand book/a/wrong.html', 'failed', 'it is neither UTF-8 nor UTF-16 with a byte order mark'],
      ['hand book/b.md', 'added', null],
      ['hand book/picture.png', 'skipped', 'its type is not known'],
      ['hand book/link', 'skipped', 'it is a symbolic link'],
    ]);
    expect({ code, counts: json.counts }).toEqual({
      code: 1,
      counts: { added: 3, new_version: 0, unchanged: 0, retired: 0, skipped: 2, failed: 1 },
    });
    expect(stderr).toContain('it now has the default profile');
    rmSync(join(root, 'a/wrong.html'));
    const again = await run(['ingest', root, '--exclude', '*.png,link'], given);
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/^ {2}documents +count +passages\n {2}unchanged +3\n {2}skipped +1\n/);
    const shown = await run(['assemble', 'Which page is about turbines?'], given);
    expect(shown.stdout).toContain('<content>A page about turbines.</content>');
  });

  it('[Q8] retires what is gone only when asked to, and says in a dry run what it would do', async () => {
    renameSync(join(root, 'b.md'), join(root, 'c.md'));
    const wanted = ['ingest', root, '--delete-missing', '--include', '*.md'];
    const dry = await runJson([...wanted, '--dry-run'], given);
    const moved = [
      ['hand book/c.md', 'added', null],
      ['hand book/b.md', 'retired', null],
      ['hand book/link', 'skipped', 'it is a symbolic link'],
    ];
    expect({ code: dry.code, dryRun: dry.json.dry_run, told: told(dry.json) }).toEqual({
      code: 0,
      dryRun: true,
      told: moved,
    });
    expect(told((await runJson(wanted, given)).json)).toEqual(moved);
    expect(told((await runJson(wanted, given)).json).slice(0, -1)).toEqual([['hand book/c.md', 'unchanged', null]]);
  });

  it('[Q8] reads stdin, and refuses a command line that leaves something open', async () => {
    const stdin = ['ingest', '-', '--type', 'markdown', '--source-uri', 'https://x.example/note', '--title', 'Note'];
    expect((await runJson(stdin, given, '# Note\n\nFrom a pipe.\n')).json).toMatchObject({
      counts: { added: 1 },
      documents: [{ name: 'stdin', collection: 'documents', source_uri: 'https://x.example/note', version: 1 }],
    });
    expect((await runJson(['ingest', join(root, 'nothing')], given)).json.error).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('it does not exist'),
    });
    expect((await run(['ingest', '-'], given)).code).toBe(2);
    expect((await run(['ingest', root, '--overlap-tokens', '200'], given)).code).toBe(2);
  });
});
