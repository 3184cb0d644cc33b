// What a caller may still be shown of a memory that was asked for by name (design S1, L3).

import { lifecycleState } from '../assembly/select/lifecycle.ts';
import type { Memory } from '../model/memory.ts';
import type { EvaluationTime } from '../model/time.ts';

/** A superseded version is history and may be shown as such; one deleted, expired, not yet effective or quarantined not. */
export function mayBeShown(memory: Memory, at: EvaluationTime): boolean {
  const state = lifecycleState(memory.lifecycle, at);
  return memory.lifecycle.quarantinedAt === null && (state === 'current' || state === 'superseded');
}
