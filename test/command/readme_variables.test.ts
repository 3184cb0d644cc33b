// The README's table of variables says what the program reads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { variables } from '../../src/config.ts';
import { projectRoot } from './run_program.ts';

it('README.md lists every variable in a row of a table, and no other', () => {
  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\|\s*`(CONTEXT_[A-Z_]+)`\s*\|/gm)].map((match) => match[1]);
  expect(rows.toSorted()).toEqual(variables.map(({ name }) => name).toSorted());
});
