// Runs the benchmarks one after the other: npm run build && npm run bench [-- --data PATH_OF_LOCOMO_JSON]

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({ options: { data: { type: 'string' } } });
const retrieval = ['--corpus', ...(options.data === undefined ? [] : ['--data', options.data])];
const programs: readonly (readonly [file: string, ...args: string[]])[] = [
  ['assembly.ts'],
  ['compression.ts'],
  ['rebuild.ts'],
  ['cold_start.ts'],
  ['owner.ts'],
  ['server.ts'],
  ['http.ts'],
  ['search.ts', '--sizes', '1000'],
  ['retrieval.ts', ...retrieval],
];

let failed = 0;
for (const [file, ...args] of programs) {
  console.log(`\n== ${file} ${args.join(' ')}`);
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', path, ...args], { stdio: 'inherit' });
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
