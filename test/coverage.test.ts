// Every id of the design that this version owes has a test that names it; the ids still without one are printed.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requirements } from './requirements.ts';
import type { Requirement } from './requirements.ts';
import { formatFinding, readSources, scan } from './tidy/sources.ts';
import { countIds, idsIn, reachedTitles, titlesOf, unknownIds } from './tidy/titles.ts';

/** The newest issue whose ids must all have tests. */
const currentIssue = 8;

const all: readonly Requirement[] = requirements;
const known = new Set(all.map((requirement) => requirement.id));
const notCounted = new Set(['test/requirements.ts', 'test/coverage.test.ts']);
const titles = reachedTitles(
  readSources(join(import.meta.dirname, '..'), 'test').filter((source) => !notCounted.has(source.path)),
);
const coverage = countIds(titles);
const isTested = (id: string): boolean => (coverage.get(id)?.run ?? 0) > 0;

/** One line an issue: how many of its ids have tests, and which have none. */
function table(): string {
  const issues = [...new Set(all.map((requirement) => requirement.issue))].toSorted((a, b) => a - b);
  return issues
    .map((issue) => {
      const ids = all.filter((requirement) => requirement.issue === issue).map((requirement) => requirement.id);
      const missing = ids.filter((id) => !isTested(id));
      const counts = `${ids.length - missing.length}/${ids.length}`.padStart(7);
      return `issue ${issue} ${counts} tested; without a test: ${missing.join(' ') || 'none'}`;
    })
    .join('\n');
}

describe('requirements', () => {
  it('are listed once each', () => {
    expect(known.size).toBe(all.length);
  });

  it(`up to issue ${currentIssue} all have a test that names them`, () => {
    console.log(table());
    const missing = all.filter((requirement) => requirement.issue <= currentIssue && !isTested(requirement.id));
    const lines = missing.map((requirement) => `${requirement.id} (${requirement.source}): ${requirement.text}`);
    expect(
      missing.map((requirement) => requirement.id),
      `ids without a test:\n${lines.join('\n')}\n`,
    ).toEqual([]);
  });

  it('named in titles exist', () => {
    const lines = unknownIds(titles, known).map(formatFinding);
    expect(lines).toEqual([]);
  });

  it('are not named by skipped tests alone', () => {
    const onlySkipped = [...coverage].filter(([, count]) => count.run === 0).map(([id]) => id);
    expect(onlySkipped, `only skipped tests name: ${onlySkipped.join(' ')}`).toEqual([]);
  });
});

const read = (text: string) => titlesOf(scan('test/a.test.ts', text));

const namesOf = (text: string) => read(text).map((title) => `${title.text}${title.skipped ? ' (skipped)' : ''}`);

describe('titles are read', () => {
  const skip = 'skip';
  it.each([
    ["it('[S1] a', () => {})", ['[S1] a']],
    ['test("b [B2,B4]", async () => {})', ['b [B2,B4]']],
    ['describe(`[N2] ${name}`, () => { it("c", run) })', ['[N2] ${}', 'c']],
    ["it.each([[1, 'x'], [2, ')']])('[F1] %i', () => {})", ['[F1] %i']],
    ['it.each<[string]>([["(A)"]])("[F1] %s", () => {})', ['[F1] %s']],
    ['it.each`a | b\n${1} | ${2}`("[F1] table", () => {})', ['[F1] table']],
    ["it.skipIf('CI' in process.env)('[Q9] d', () => {})", ['[Q9] d']],
    ["it.concurrent.only(\n  '[D5] e',\n  run)", ['[D5] e']],
    [`it.${skip}('[S1] a', () => {})`, ['[S1] a (skipped)']],
    [
      `describe.${skip}('[S2] a', () => { it('[S1] b', run) }); it('c', run)`,
      ['[S2] a (skipped)', '[S1] b (skipped)', 'c'],
    ],
    [`describe('[S2] a', () => { it.${skip}('b', run) })`, ['[S2] a (skipped)', 'b (skipped)']],
    ["it.skipIf(true)('[S1] a', run)", ['[S1] a (skipped)']],
    ["// it('[S1] a', run)\nconst b = \"it('[S1] a')\"; page.it('[S1]'); submit('[S1]'); it(title, run)", []],
  ])('from %s', (text, expected) => {
    expect(namesOf(text)).toEqual(expected);
  });

  it('with ids in brackets at the start or the end alone', () => {
    expect(idsIn('[S1] a').ids).toEqual(['S1']);
    expect(idsIn('a [B2, B4]').ids).toEqual(['B2', 'B4']);
    expect(idsIn('[S1] a [B2]').ids).toEqual(['S1', 'B2']);
    expect(idsIn('a [S1] b, [x], S3').ids).toEqual([]);
    expect(idsIn('[S1–S7] a').malformed).toEqual(['S1–S7']);
    expect(idsIn('[S1 S2] a').malformed).toEqual(['S1 S2']);
  });

  it('of files that a test file imports, and of no others', () => {
    const sources = [
      scan('test/store/pglite.test.ts', "import { contract } from './contract.ts'; contract();"),
      scan('test/store/contract.ts', "it('[N2] a', run)"),
      scan('test/store/lost.ts', "it('[N3] a', run)"),
    ];
    expect([...countIds(reachedTitles(sources)).keys()]).toEqual(['N2']);
  });

  it('so that an unknown id is found', () => {
    const found = unknownIds(read("\nit('[Z9] a', run); it('[S1] b', run); it('[S1-S3] c', run)"), known);
    expect(found.map(formatFinding)).toEqual([
      'test/a.test.ts:2  unknown id: `Z9` is no id of the design',
      'test/a.test.ts:2  unknown id: `[S1-S3]` is read only as ids with commas, like [S1,B2]',
    ]);
  });
});
