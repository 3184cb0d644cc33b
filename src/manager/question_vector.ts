// A question's vector (design Q5), made before the snapshot is opened: no model works inside a transaction (N3).

import type { Call } from './manager.ts';
import type { ManagerParts } from './parts.ts';

/** The vector of a question; null when nothing in it is known. Throws what the configured embedder throws. */
export async function questionVector(
  parts: Pick<ManagerParts, 'embedder'>,
  call: Pick<Call, 'signal'>,
  question: string,
): Promise<Float32Array | null> {
  const embedder = await parts.embedder();
  const bounds = call.signal === undefined ? {} : { signal: call.signal };
  const [vector = null] = await embedder.embed([question], { purpose: 'query', ...bounds });
  return vector;
}
