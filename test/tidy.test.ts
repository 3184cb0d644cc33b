// The rules of the house, checked: each rule has its own test, and below each is shown to fail on a fixture.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { codeHashPath, computeCodeHash, readCodeHash } from '../scripts/code_hash.ts';
import { goldenDifferences, recordChecksums } from '../scripts/golden_checksums.ts';
import {
  checkBarrels,
  checkDocstrings,
  checkEngineNames,
  checkNames,
  checkPurity,
  checkSize,
  checkSql,
  checkWords,
} from './tidy/house_rules.ts';
import { checkCycles, checkImports } from './tidy/import_rules.ts';
import { formatFinding, readSources } from './tidy/sources.ts';
import type { Finding } from './tidy/sources.ts';

const projectRoot = join(import.meta.dirname, '..');
const source = readSources(projectRoot, 'src');
const tests = readSources(projectRoot, 'test');
const tools = readSources(projectRoot, 'scripts', 'bench');

const breaches = (findings: readonly Finding[]): string[] => findings.map(formatFinding);

describe('house rules', () => {
  it('reads the sources that the rules are about', () => {
    expect(source.length, 'no sources under src').toBeGreaterThan(0);
  });

  it('lets each folder import only what the allowlist names', () => expect(breaches(checkImports(source))).toEqual([]));

  it('keeps assembly, retrieval, model, check and diff pure', () => expect(breaches(checkPurity(source))).toEqual([]));

  it('keeps source files at 300 lines and test files at 600', () => {
    expect(breaches([...checkSize(source, 300), ...checkSize(tests, 600)])).toEqual([]);
  });

  it('has no import cycles, type-only ones included', () => expect(breaches(checkCycles(source))).toEqual([]));

  it('keeps SQL in schema/', () => expect(breaches(checkSql(source))).toEqual([]));

  it('names files in snake_case, for what they hold', () =>
    expect(breaches(checkNames([...source, ...tests, ...tools]))).toEqual([]));

  it('[N9] branches nowhere on the name of an engine', () => expect(breaches(checkEngineNames(source))).toEqual([]));

  it('holds no barrels', () => expect(breaches(checkBarrels(source))).toEqual([]));

  it('holds no marks of unfinished work', () =>
    expect(breaches(checkWords([...source, ...tests, ...tools]))).toEqual([]));

  it('documents every export of model, assembly, manager and the store port', () =>
    expect(breaches(checkDocstrings(source))).toEqual([]));

  it('changes golden files only together with a version', () => {
    const differences = goldenDifferences(projectRoot);
    expect(
      differences,
      `${differences.join('\n')}\nGolden files change only together with src/assembly/version.ts. \`npx tsx scripts/golden_checksums.ts\` records them, and refuses changed ones unless rendererVersion or selectionVersion differs from what is recorded.\n`,
    ).toEqual([]);
  });

  it('has a code hash that is up to date', () => {
    expect(readCodeHash(projectRoot), `${codeHashPath} is stale: run \`npx tsx scripts/code_hash.ts\``).toBe(
      computeCodeHash(projectRoot),
    );
  });
});

function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const places = (findings: readonly Finding[]) => findings.map((finding) => `${finding.path}:${finding.line}`);

const versionFile = (renderer: string) => ({
  'src/assembly/version.ts': `export const rendererVersion = '${renderer}';\nexport const selectionVersion = '1';\n`,
});

describe('the checks can fail', () => {
  const roots: string[] = [];
  afterEach(() => {
    for (const root of roots.splice(0)) rmSync(root, { recursive: true });
  });

  /** Writes files into a new temporary root and returns it. */
  function rootWith(files: Readonly<Record<string, string>>): string {
    const root = mkdtempSync(join(tmpdir(), 'tidy-'));
    roots.push(root);
    writeFiles(root, files);
    return root;
  }

  const readAll = (files: Readonly<Record<string, string>>) => readSources(rootWith(files), 'src');

  it.each([
    ['src/model/a.ts', "import canonicalize from 'canonicalize';"],
    ['src/model/a.ts', "import { join } from 'node:path';"],
    ['src/model/a.ts', "import type { A } from '../assembly/b.ts';"],
    ['src/assembly/select/a.ts', "import { b } from '../../store/store.ts';"],
    ['src/assembly/a.ts', "import { readFileSync } from 'node:fs';"],
    ['src/assembly/a.ts', "export { b } from '../tokens/tokenizer.ts';"],
    ['src/retrieval/a.ts', "import { b } from '../log.ts';"],
    ['src/store/a.ts', "import { b } from './postgres/store.ts';"],
    ['src/store/a.ts', "import { PGlite } from '@electric-sql/pglite';"],
    ['src/manager/a.ts', "const b = await import('../store/postgres/store.ts');"],
    ['src/manager/a.ts', "import { b } from '../store/postgres/reader.ts';"],
    ['src/manager/a.ts', "import { z } from 'zod';"],
    ['src/transport/a.ts', "import { b } from '../store/store.ts';"],
    ['src/command/seed.ts', "import { Client } from '@modelcontextprotocol/client';"],
    ['src/command/a.ts', "import { b } from '../store/postgres/pglite.ts';"],
    ['src/config.ts', "import { b } from './log.ts';"],
    ['src/main.ts', "import { a } from 'left-pad';"],
    ['src/main.ts', 'const a = await import(name);'],
    ['src/main.ts', "import { a } from '../test/golden.ts';"],
    ['src/elsewhere/a.ts', 'export const a = 1;'],
  ])('import allowlist: %s %s', (path, text) => {
    expect(places(checkImports(readAll({ [path]: `\n${text}\n` })))).toEqual([
      path === 'src/elsewhere/a.ts' ? `${path}:1` : `${path}:2`,
    ]);
  });

  it.each([
    ['src/model/ids.ts', "import { a } from './errors.ts';"],
    ['src/assembly/render/a.ts', "import { createHash } from 'node:crypto';\nimport canonicalize from 'canonicalize';"],
    [
      'src/store/postgres/a.ts',
      "import { vector } from '@electric-sql/pglite-pgvector';\nimport { b } from '../rows.ts';",
    ],
    ['src/store/policy_rows.ts', "import { z } from 'zod';\nimport type { Store } from '../store/store.ts';"],
    ['src/transport/mcp.ts', "import { Server } from '@modelcontextprotocol/server/stdio';"],
    ['src/command/demo_client.ts', "import { Client } from '@modelcontextprotocol/client';"],
    ['src/main.ts', "import { b } from './store/postgres/pglite.ts';"],
    [
      'src/tokens/tokenizer.ts',
      "// import 'pino'\nconst text = \"import { a } from 'pino'\";\nawait import('tiktoken');",
    ],
  ])('import allowlist admits: %s', (path, text) =>
    expect(breaches(checkImports(readAll({ [path]: text })))).toEqual([]),
  );

  it.each([
    'Date.now()',
    'new Date()',
    "new Date('2026-01-01')",
    'Date.parse(text)',
    'Math.random()',
    'process.env',
    'performance.now()',
    'setTimeout(run, 5)',
    'async () => 1',
    'Promise.resolve(1)',
    'console.log(1)',
    "import('node:fs')",
    'a.localeCompare(b)',
  ])('purity: %s', (code) => {
    for (const folder of ['assembly/select', 'retrieval', 'model'])
      expect(places(checkPurity(readAll({ [`src/${folder}/a.ts`]: `\nconst a = ${code};\n` })))).toEqual([
        `src/${folder}/a.ts:2`,
      ]);
  });

  it('purity admits dates from numbers, and speaks of code only', () => {
    const text = [
      'const a = new Date(micros / 1000).getUTCFullYear() + Date.UTC(2026, 1, 1);',
      '// new Date() would read the clock',
      'const b = `Date.now() is text ${a} process.env too`;',
      'const c = /await process./.test(b) ? plan.process.name : 1;',
    ].join('\n');
    expect(
      breaches(checkPurity(readAll({ 'src/assembly/a.ts': text, 'src/store/b.ts': 'export const b = Date.now();' }))),
    ).toEqual([]);
  });

  it('file size', () => {
    const sources = readAll({ 'src/a.ts': 'const a = 1;\n'.repeat(301), 'src/b.ts': 'const a = 1;\n'.repeat(300) });
    expect(places(checkSize(sources, 300))).toEqual(['src/a.ts:301']);
  });

  it('import cycle, type-only and through a third file', () => {
    const sources = readAll({
      'src/a.ts': "import { b } from './b.ts';",
      'src/b.ts': "import type { C } from './c/c.ts';",
      'src/c/c.ts': "import { a } from '../a.ts';",
      'src/d.ts': "import { a } from './a.ts';",
    });
    expect(checkCycles(sources).map((finding) => finding.detail)).toEqual([
      'src/a.ts → src/b.ts → src/c/c.ts → src/a.ts',
    ]);
  });

  it.each([
    "'select id from entity_memory'",
    '`select ${columns}\n  , b\nfrom x`',
    '"INSERT INTO x values (1)"',
    "'update entity_memory set a = 1'",
    "'delete from x'",
    "'create policy p on x'",
    "'CREATE OR REPLACE FUNCTION f()'",
    "'alter table x'",
  ])('SQL: %s', (literal) => {
    expect(places(checkSql(readAll({ 'src/store/a.ts': `\nconst a = ${literal};\n` })))).toEqual(['src/store/a.ts:2']);
  });

  it('SQL: transaction control is for the store alone', () => {
    const text = "await run('BEGIN'); await run('SET LOCAL ROLE mem_app');\n// select a from b\n";
    expect(breaches(checkSql(readAll({ 'src/store/postgres/a.ts': text })))).toEqual([]);
    expect(checkSql(readAll({ 'src/manager/a.ts': text }))).toHaveLength(2);
  });

  it('file name', () => {
    const sources = readAll({
      'src/index.ts': '',
      'src/a/utils.ts': '',
      'src/helpers.ts': '',
      'src/makeScope.ts': '',
      'src/sql_files.ts': '',
    });
    expect(places(checkNames(sources))).toEqual([
      'src/a/utils.ts:1',
      'src/helpers.ts:1',
      'src/index.ts:1',
      'src/makeScope.ts:1',
    ]);
  });

  it.each(["if (a.engine === 'postgres') b();", "if ('oracle' !== name) b();", "switch (a) { case 'embedded': b(); }"])(
    'engine name: %s',
    (text) => {
      expect(places(checkEngineNames(readAll({ 'src/manager/a.ts': `\n${text}\n` })))).toEqual(['src/manager/a.ts:2']);
      expect(
        breaches(
          checkEngineNames(readAll({ 'src/config.ts': text, 'src/store/a.ts': "const a = { mode: 'embedded' };" })),
        ),
      ).toEqual([]);
    },
  );

  it('barrel', () => {
    const sources = readAll({
      'src/a.ts': "export * from './b.ts';\nexport const c = 1;\n",
      'src/b.ts': "export { c } from './c.ts';\nexport type {\n  D,\n} from './d.ts';\n",
      'src/c.ts': "export type { C } from './d.ts';\nexport const c = 1;\n",
    });
    expect(places(checkBarrels(sources))).toEqual(['src/a.ts:1', 'src/b.ts:1']);
  });

  it('unfinished work', () => {
    const [first, second] = ['TO'.concat('DO'), 'FIX'.concat('ME')];
    const sources = readAll({ 'src/a.ts': `\n// ${first}: later\nconst b = '${second}';\n` });
    expect(places(checkWords(sources))).toEqual(['src/a.ts:2', 'src/a.ts:3']);
  });

  it('docstring', () => {
    const text = [
      '/** What it is. */',
      'export const a = 1;',
      'export type B = string;',
      '// only a remark',
      'export function c(): void {}',
      '/** Overloaded. */',
      'export function d(x: string): void;',
      'export function d(x: number): void;',
    ].join('\n');
    for (const path of ['src/model/a.ts', 'src/manager/a.ts', 'src/assembly/fit/a.ts', 'src/store/store.ts'])
      expect(places(checkDocstrings(readAll({ [path]: text })))).toEqual([`${path}:3`, `${path}:5`]);
  });

  it('golden files: none, unrecorded, changed, gone; a change is recorded only with a new version', () => {
    const root = rootWith(versionFile('1'));
    expect(goldenDifferences(root)).toEqual(['no golden files']);
    writeFiles(root, { 'test/golden/a.json': '1', 'test/golden/b.json': '1' });
    expect(goldenDifferences(root)).toEqual(['test/golden/CHECKSUMS.json is missing']);
    recordChecksums(root);
    expect(goldenDifferences(root)).toEqual([]);
    writeFiles(root, { 'test/golden/c.json': '1' });
    expect(goldenDifferences(root)).toEqual(['test/golden/c.json: not recorded']);
    recordChecksums(root);
    writeFiles(root, { 'test/golden/a.json': '2' });
    rmSync(join(root, 'test/golden/b.json'));
    const differences = ['test/golden/a.json: changed', 'test/golden/b.json: recorded, but gone'];
    expect(goldenDifferences(root)).toEqual(differences);
    expect(() => recordChecksums(root)).toThrow(/^refused: a\.json, b\.json changed/);
    expect(goldenDifferences(root)).toEqual(differences);
    writeFiles(root, versionFile('2'));
    expect(goldenDifferences(root)).toContain('renderer_version is 2, recorded 1');
    recordChecksums(root);
    expect(goldenDifferences(root)).toEqual([]);
  });

  it('code hash: any change of what decides bytes, no change of line ends, and not itself', () => {
    const files = {
      'src/assembly/a.ts': 'a\nb\n',
      'src/model/b.ts': 'b',
      'src/tokens/c.ts': 'c',
      'src/store/rows.ts': 'd',
      'package.json': '{"dependencies":{"tiktoken":"1.0.0"}}',
    };
    const hash = computeCodeHash(rootWith(files));
    for (const path of Object.keys(files)) {
      expect(computeCodeHash(rootWith({ ...files, [path]: '{"dependencies":{"tiktoken":"1.0.1"}}' }))).not.toBe(hash);
    }
    expect(computeCodeHash(rootWith({ ...files, 'src/command/demo.ts': 'x' }))).toBe(hash);
    expect(computeCodeHash(rootWith({ ...files, 'src/assembly/select/d.ts': '' }))).not.toBe(hash);
    expect(computeCodeHash(rootWith({ ...files, 'src/assembly/a.ts': 'a\r\nb\r\n' }))).toBe(hash);
    const root = rootWith({ ...files, [codeHashPath]: `export const codeHash = '${'0'.repeat(64)}';` });
    expect(computeCodeHash(root)).toBe(hash);
    expect(readCodeHash(root)).not.toBe(hash);
  });
});
