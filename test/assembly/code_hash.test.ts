// The code's hash in a manifest (design R1, M3): the built program states the same one as its sources, and decides the
// same bytes.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { assemble } from '../../src/assembly/assemble.ts';
import { codeHash } from '../../src/assembly/code_hash.ts';
import { computeCodeHash } from '../../scripts/code_hash.ts';
import { loadTokenizer } from '../../src/tokens/tokenizer.ts';
import { goldenCases, goldenInput } from '../golden_cases.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'context-build-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Assembles the input on stdin with the built program, and prints the hashes. */
const program = (dist: string) => `
  import { readFileSync } from 'node:fs';
  import { assemble } from ${JSON.stringify(pathToFileURL(join(dist, 'assembly', 'assemble.js')).href)};
  import { loadTokenizer } from ${JSON.stringify(pathToFileURL(join(dist, 'tokens', 'tokenizer.js')).href)};
  const input = JSON.parse(readFileSync(0, 'utf8'));
  const { manifest } = assemble({ ...input, countTokens: await loadTokenizer() });
  console.log(JSON.stringify([manifest.code_hash, manifest.request_hash]));`;

describe('code hash', () => {
  it('[R1,M3] the built program names the same code as its sources, and decides the same bytes', async () => {
    const dist = join(folder, 'dist');
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', dist]);

    const [golden] = goldenCases;
    if (golden === undefined) throw new Error('there are no golden cases');
    const input = goldenInput(golden, await loadTokenizer());
    const { manifest } = assemble(input);
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program(dist)], {
      input: JSON.stringify(input),
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toEqual([codeHash, manifest.request_hash]);
    expect(codeHash).toBe(computeCodeHash(root));
  });
});
