// Fetching a model of the hub (Q5): whole or not at all, from a hub on this machine.

import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { fetchModel } from '../../src/onnx/fetch_model.ts';
import { findModel, ownFolder } from '../../src/onnx/model_folder.ts';
import { embeddingModel, words, writeModel } from './onnx_file.ts';

const folder = mkdtempSync(join(tmpdir(), 'context-hub-'));
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A hub that has one model, `org/tiny`, and of it the files that `has` lets through. */
async function hub(has: (file: string) => boolean): Promise<{ readonly url: string; readonly asked: string[] }> {
  const source = join(folder, 'source');
  writeModel(source, embeddingModel(words.map(() => [1, 2])));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const file = (request.url ?? '').replace('/org/tiny/resolve/main/', '');
    asked.push(file);
    const path = join(source, ...file.split('/'));
    if (has(file) && existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

const wantedAt = (home: string, model = 'org/tiny') => ({
  model,
  variable: 'CONTEXT_EMBEDDER_MODEL',
  home: join(folder, home),
});

it('[Q5] puts the files of a model where it is found by its name, the smallest numbers that there are', async () => {
  const { url, asked } = await hub(() => true);
  const wanted = wantedAt('whole');
  expect(() => findModel(wanted)).toThrow('is not on this machine');
  await fetchModel(wanted, url);
  expect(findModel(wanted)).toMatchObject({ folder: ownFolder(wanted), name: 'tiny', file: { numbers: 'fp32' } });
  expect(asked.filter((file) => file.includes('.onnx'))).toEqual([
    'onnx/model_quantized.onnx',
    'onnx/model.onnx',
    'onnx/model.onnx_data',
  ]);
});

it('[Q5] leaves nothing that could be taken for a model when a file is missing or the hub is away', async () => {
  const { url } = await hub((file) => !file.endsWith('.onnx'));
  for (const [home, from, reason] of [
    ['part', url, 'the hub has no onnx/model_quantized.onnx'],
    ['away', 'http://127.0.0.1:9', 'cannot be reached'],
  ] as const) {
    const wanted = wantedAt(home);
    await expect(fetchModel(wanted, from)).rejects.toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining(reason),
    });
    expect(readdirSync(join(ownFolder(wanted), '..'))).toEqual([]);
  }
});

it('[Q5] asks the hub for nothing that is no name of a model', async () => {
  const { url, asked } = await hub(() => true);
  await expect(fetchModel(wantedAt('odd', 'org/../tiny'), url)).rejects.toThrow('no name');
  expect(asked).toEqual([]);
});
