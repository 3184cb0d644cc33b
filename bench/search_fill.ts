// Fills a data directory for the search benchmark: the profile by the program itself, the documents in bulk by its store.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorScope } from '../src/auth/make_scope.ts';
import { openStaticTable } from '../src/embed/static_table.ts';
import { indexEntries, placedMemories } from '../src/manager/index_rows.ts';
import { newTokenCounts } from '../src/manager/token_counts.ts';
import { openEmbeddedStore } from '../src/store/postgres/pglite.ts';
import { parseSeedFile } from '../src/store/seed_rows.ts';
import { loadTokenizer } from '../src/tokens/tokenizer.ts';
import { passagesOfDocument, type SearchCorpus } from './search_corpus.ts';

/** Documents of one transaction. */
const batchDocuments = 250;

const tenant = 'local';

/** What the program is started with, so that it serves the directory's memory. */
export function environmentOf(directory: string): Readonly<Record<string, string>> {
  return { CONTEXT_DATA_DIR: directory, CONTEXT_TENANT_ID: tenant, CONTEXT_USER_ID: 'bench' };
}

/** Runs a command of the built program on a directory, and gives what it prints. */
export function runProgram(program: string, directory: string, ...command: readonly string[]): string {
  return execFileSync(process.execPath, [program, ...command], {
    env: { ...process.env, ...environmentOf(directory) },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
}

/** Fills a directory with so many passages; one that an earlier run filled to the end is left as it is. */
export async function fillDirectory(
  directory: string,
  from: {
    readonly passages: number;
    readonly corpus: SearchCorpus;
    readonly tableFolder: string;
    readonly program: string;
  },
): Promise<void> {
  const filled = join(directory, 'filled');
  if (existsSync(filled)) return;
  runProgram(from.program, directory, 'init');
  runProgram(from.program, directory, 'stop');
  const table = openStaticTable(from.tableFolder);
  const countTokens = await loadTokenizer();
  const log = {
    warn: (detail: unknown, message: string) => console.error(message, detail),
    error: (detail: unknown, message: string) => console.error(message, detail),
  };
  const store = await openEmbeddedStore({ directory, embedder: table, log, migrate: true });
  const scope = operatorScope(tenant);
  const documents = Math.ceil(from.passages / passagesOfDocument);
  try {
    for (let first = 0; first < documents; first += batchDocuments) {
      const rows = rowsOf(from.corpus, { first, count: Math.min(batchDocuments, documents - first) });
      const placed = placedMemories(rows, scope);
      const index = await indexEntries(table, placed);
      const counts = newTokenCounts(
        placed.map(({ memory }) => memory),
        countTokens,
      );
      await store.operate(scope, { requestId: 'bench' }, async (writer) => {
        await writer.importRows({ rows, index, provenance: [], links: [] });
        await writer.putTokenCounts(counts);
      });
    }
  } finally {
    await store.close();
  }
  await writeFile(filled, `${from.passages}\n`);
}

function rowsOf(corpus: SearchCorpus, { first, count }: { readonly first: number; readonly count: number }) {
  const documents = Array.from({ length: count }, (_, place) => {
    const id = `doc_${first + place}`;
    const { title, uri, passages } = corpus.document(first + place);
    const chunks = passages.map((content, chunk) => ({ id: `${id}_c${chunk}`, content }));
    const source = { collection: 'bench', title, source_uri: uri, source_type: 'text', content_hash: id };
    return { id, ...source, valid_from: '2026-01-01T00:00:00Z', written_by: 'bench', trust: 'stated', chunks };
  });
  return parseSeedFile({ tenant_id: tenant, documents }, 'bench').rows;
}
