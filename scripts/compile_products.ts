// Makes the bytes of src/rerank/row_products.wat, as base64, and puts them into the module that runs them.
// npx tsx scripts/compile_products.ts

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import wabt from 'wabt';

const folder = join(import.meta.dirname, '..', 'src', 'rerank');
const module = join(folder, 'row_products.ts');

/** The compiled text, as base64. */
export async function compiledProducts(): Promise<string> {
  const compiler = await wabt();
  const parsed = compiler.parseWat('row_products.wat', readFileSync(join(folder, 'row_products.wat'), 'utf8'), {
    simd: true,
  });
  return Buffer.from(parsed.toBinary({}).buffer).toString('base64');
}

if (process.argv[1] === import.meta.filename) {
  const bytes = await compiledProducts();
  writeFileSync(module, readFileSync(module, 'utf8').replace(/(?<=compiled =\s+')[^']*(?=')/, bytes));
}
