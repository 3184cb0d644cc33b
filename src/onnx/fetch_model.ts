// Fetches a model of the hub, when that was allowed: all of its files, or nothing that could be taken for a model.

import { createWriteStream, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { MemoryError } from '../model/errors.ts';
import { hubName, ownFolder, type Wanted } from './model_folder.ts';

const hub = 'https://huggingface.co';

/** Of each group the first file that there is; a group that is needed and has none makes the model useless. */
const groups = [
  { files: ['config.json'], isNeeded: true },
  { files: ['tokenizer.json'], isNeeded: true },
  { files: ['tokenizer_config.json'], isNeeded: false },
  { files: ['sentence_bert_config.json'], isNeeded: false },
  { files: ['1_Pooling/config.json'], isNeeded: false },
  { files: ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'model.onnx'], isNeeded: true },
] as const;

/** How long a file may take: a large model over a slow line. */
const fileDeadlineMs = 30 * 60_000;

/**
 * Puts the model into this program's folder of models. Throws `invalid_configuration` where the hub does not have it in
 * ONNX, or cannot be reached; nothing is left of it then.
 */
export async function fetchModel(wanted: Wanted, from = hub): Promise<void> {
  const { model } = wanted;
  if (!hubName.test(model) || model.includes('..')) throw notFetched(wanted, 'it is no name of a model of the hub');
  const target = ownFolder(wanted);
  mkdirSync(dirname(target), { recursive: true });
  const draft = mkdtempSync(`${target}-`);
  try {
    for (const { files, isNeeded } of groups) {
      const found = await fetchFirst(files, { base: `${from}/${model}/resolve/main`, draft, wanted });
      if (found === null && isNeeded) throw notFetched(wanted, `the hub has no ${files.join(' or ')} of it`);
      if (found?.endsWith('.onnx') !== true) continue;
      // The numbers of a large model lie beside it.
      await fetchFirst([`${found}_data`], { base: `${from}/${model}/resolve/main`, draft, wanted });
    }
    rmSync(target, { recursive: true, force: true });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function fetchFirst(
  files: readonly string[],
  { base, draft, wanted }: { readonly base: string; readonly draft: string; readonly wanted: Wanted },
): Promise<string | null> {
  for (const file of files) {
    try {
      const response = await fetch(`${base}/${file}`, { signal: AbortSignal.timeout(fileDeadlineMs) });
      if (response.status === 404) {
        await response.body?.cancel();
        continue;
      }
      if (!response.ok || response.body === null) throw notFetched(wanted, `the hub answered ${response.status}`);
      const path = join(draft, ...file.split('/'));
      mkdirSync(dirname(path), { recursive: true });
      await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), createWriteStream(path));
      return file;
    } catch (error) {
      throw error instanceof MemoryError ? error : notFetched(wanted, 'the hub cannot be reached', error);
    }
  }
  return null;
}

function notFetched({ model, variable }: Wanted, reason: string, cause?: unknown): MemoryError {
  return new MemoryError(
    'invalid_configuration',
    `${model} of ${variable} was not fetched: ${reason}.`,
    { variable },
    cause,
  );
}
