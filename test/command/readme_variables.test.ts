// The README's table of variables says what the program reads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { variables } from '../../src/config.ts';
import { projectRoot } from './run_program.ts';

it('README.md lists every variable with its default and meaning, and no other', () => {
  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| `((?:CONTEXT|DATABASE|DB)_[A-Z_]+)` \| (.*?) \| (.*) \|$/gm)].map(
    ([, name, value, meaning]) => ({
      name,
      default: (value ?? '').replaceAll('`', '').replace('–', ''),
      meaning,
    }),
  );
  expect(rows).toEqual(variables.map(({ name, default: value, meaning }) => ({ name, default: value, meaning })));
});
