// A real embedding service (Q5): questions in four languages find English sentences, more of them than by the built-in table.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/embed/embedder.ts';
import { createHttpEmbedder } from '../../src/embed/http.ts';
import { openStaticTable } from '../../src/embed/static_table.ts';
import { projectRoot } from '../command/run_program.ts';

const script = join(projectRoot, 'scripts', 'embedding_server.mjs');
const folder = mkdtempSync(join(tmpdir(), 'context-embeddings-'));
const run = promisify(execFile);

async function startService(): Promise<string | null> {
  try {
    return (await run(process.execPath, [script, 'start', '--folder', folder])).stdout.trim();
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    console.warn(`\nSKIPPED: the real embedding service, because it could not be set up: ${reason}\n`);
    return null;
  }
}

const url = await startService();
afterAll(async () => {
  await run(process.execPath, [script, 'stop', '--folder', folder]);
  rmSync(folder, { recursive: true, force: true });
});

/** A sentence, and a question that it answers: four in German, French, Spanish and Japanese each. */
const cases: readonly (readonly [string, string])[] = [
  ['The night train to Vienna leaves at ten past eleven.', 'Wann fährt der Nachtzug nach Wien ab?'],
  ['Our cat is allergic to chicken and gets fish only.', 'Was darf die Katze nicht fressen?'],
  ['Backups of the database are kept for ninety days.', 'Wie lange werden Sicherungen aufbewahrt?'],
  ['The landlord raised the rent by four percent in May.', 'Um wie viel ist die Miete gestiegen?'],
  ['Anna paid for the birthday cake with her own card.', 'Qui a payé le gâteau d’anniversaire ?'],
  ['The dentist moved the appointment to Thursday morning.', 'Quel jour est le rendez-vous chez le dentiste ?'],
  ['The museum is closed on Mondays and public holidays.', 'Quand le musée est-il fermé ?'],
  ['A broken pump flooded the cellar last winter.', 'Pourquoi la cave a-t-elle été inondée ?'],
  ['The new laptop has thirty-two gigabytes of memory.', '¿Cuánta memoria tiene el portátil nuevo?'],
  ['My grandmother was born in a fishing village in Galicia.', '¿Dónde nació la abuela?'],
  ['The bakery on the corner sells bread without gluten.', '¿Dónde se puede comprar pan sin gluten?'],
  ['The bicycle was stolen from in front of the library.', '¿De dónde robaron la bicicleta?'],
  ['The wifi password is written under the kitchen table.', '無線LANのパスワードはどこに書いてありますか?'],
  ['The doctor told him to drink less coffee.', '医者は彼に何を控えるように言いましたか?'],
  ['The flight to Tokyo takes eleven hours.', '東京までの飛行時間はどのくらいですか?'],
  ['Tomatoes in the garden need water every evening.', '庭のトマトにはいつ水をやりますか?'],
];

/** The part of the questions whose own sentence is nearest. */
async function hitRate(embedder: Embedder): Promise<number> {
  const texts = await embedder.embed(
    cases.map(([sentence]) => sentence),
    { purpose: 'text' },
  );
  const questions = await embedder.embed(
    cases.map(([, question]) => question),
    { purpose: 'query' },
  );
  const likeness = (a: Float32Array | null, b: Float32Array | null) =>
    a === null || b === null ? -1 : a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const hits = questions.filter((question, place) => {
    const scores = texts.map((text) => likeness(question, text));
    return scores.indexOf(Math.max(...scores)) === place;
  });
  return hits.length / cases.length;
}

const settings = { apiKey: null, model: 'e5-passage', queryModel: 'e5-query', prefixes: { query: '', text: '' } };

describe.skipIf(url === null)('a service with a multilingual model', () => {
  const at = { ...settings, url: url ?? '' };

  it('[Q5] finds across languages what a table of English words does not', async () => {
    const service = await hitRate(createHttpEmbedder({ ...at, dimensions: 384 }));
    const table = await hitRate(openStaticTable(join(projectRoot, 'models', 'potion-base-8m')));
    console.info(`hit@1 of ${cases.length} questions in four languages: service ${service}, built-in ${table}`);
    expect(service).toBeGreaterThan(0.8);
    expect(service).toBeGreaterThan(table);
  });

  it('[Q5] has the length that it has, whatever is configured', async () => {
    const wrong = createHttpEmbedder({ ...at, dimensions: 256 });
    await expect(wrong.embed(['plum'], { purpose: 'query' })).rejects.toThrow(
      'CONTEXT_EMBEDDER_DIMENSIONS is 256, but the vectors of the service have 384.',
    );
  });
});
