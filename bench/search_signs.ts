// How many of the exact nearest the search by sign bits brings, on a directory that bench/search.ts filled.
// Run: npx tsx bench/search_signs.ts FOLDER [--nearest 200,500,1000]

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStaticTable } from '../src/embed/static_table.ts';
import { openEngine } from '../src/store/postgres/pglite.ts';
import { createQueries } from '../src/store/sql_files.ts';
import { vectorText } from '../src/store/statements/search.ts';
import { searchCorpus } from './search_corpus.ts';
import { environmentOf } from './search_fill.ts';

const { values: options, positionals } = parseArgs({
  options: { nearest: { type: 'string', default: '200,500,1000' } },
  allowPositionals: true,
});
const [folder = ''] = positionals;
const tableFolder = join(import.meta.dirname, '..', 'models', 'potion-base-8m');
const table = openStaticTable(tableFolder);
const { questions } = searchCorpus(tableFolder);
const statement = createQueries('postgres');
const { CONTEXT_TENANT_ID: tenant = '', CONTEXT_USER_ID: user = '' } = environmentOf(folder);
const now = new Date().toISOString();
const best = 10;

const engine = await openEngine(join(folder, 'postgres'));
try {
  await engine.use({ requestId: 'bench' }, async (connection) => {
    await connection.execute('BEGIN; SET LOCAL ROLE mem_app');
    await connection.query(statement('enter_read'), [tenant, user, '']);
    for (const part of ['text', 'context']) {
      const shares = new Map(options.nearest.split(',').map((nearest) => [Number(nearest), 0]));
      for (const { question } of questions) {
        const [vector] = table.embedNow([question]);
        if (vector === null || vector === undefined) continue;
        const asked = [vectorText(vector), part, ['chunk'], null, null, '', now, '[]', best];
        const ids = async (name: string, ...more: readonly number[]) =>
          (await connection.query(statement(name), [...asked, ...more])).map((row) => row['id']);
        const exact = new Set(await ids('vectors_exact'));
        for (const [nearest, sum] of shares) {
          const found = (await ids('vectors_by_sign', nearest)).filter((id) => exact.has(id));
          shares.set(nearest, sum + found.length / exact.size / questions.length);
        }
      }
      for (const [nearest, share] of shares) {
        console.log(`${part}: the nearest ${nearest} by bits hold ${share.toFixed(3)} of the exact first ${best}`);
      }
    }
    await connection.execute('ROLLBACK');
  });
} finally {
  await engine.close();
}
