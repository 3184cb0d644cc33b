// What leaves the manager: a failure that has a code, and nothing else.

import { MemoryError } from '../model/errors.ts';
import type { ManagerParts } from './parts.ts';

/** What is no MemoryError is a fault of ours: logged whole under the request id, told as `internal`. */
export async function guarded<T>(
  parts: Pick<ManagerParts, 'log'>,
  call: { readonly requestId: string },
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    parts.log.error({ requestId: call.requestId, error }, 'a call failed inside');
    throw new MemoryError('internal', 'Something went wrong inside.', {}, error);
  }
}
