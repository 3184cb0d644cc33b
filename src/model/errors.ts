// The closed list of failures: what a caller may be told, by code. Texts for people are made in transport/present.ts.

import type { JsonObject } from './json.ts';

/** Every code a failure can carry. A code is part of the public interface: it is never renamed. */
export const errorCodes = [
  'invalid_configuration',
  'invalid_argument',
  'unknown_tool',
  'tool_denied',
  'not_issued',
  'not_visible',
  'not_found',
  'slice_overflow',
  'required_correction_unfit',
  'intent_without_shares',
  'request_over_budget',
  'policy_missing',
  'policy_invalid',
  'schema_missing',
  'schema_newer',
  'tenant_not_initialised',
  'embedder_mismatch',
  'embedder_unavailable',
  'privileged_account',
  'store_unavailable',
  'store_locked',
  'version_conflict',
  'invalid_seed',
  'backup_refused',
  'host_file_refused',
  'secret_refused',
  'text_refused',
  'scope_violation',
  'deadline_exceeded',
  'cancelled',
  'outcome_unknown',
  'internal',
] as const;

/** One of {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/** What to do about `outcome_unknown`; the relay of a host says it too, which loads nothing of the transport. */
export const outcomeUnknownAction =
  'Look whether the call took effect before you repeat it; the memory can be used again.';

/**
 * The one failure type of this project. `message` is one plain sentence without SQL, stack, table names or memory text;
 * `data` holds machine-readable detail that the caller may see; what only the log may see goes into `cause`.
 */
export class MemoryError extends Error {
  readonly code: ErrorCode;
  readonly data: JsonObject;

  constructor(code: ErrorCode, message: string, data: JsonObject = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MemoryError';
    this.code = code;
    this.data = data;
  }
}

/** The failure of an aborted call: the caller's own reason where it is a coded one (its deadline), else `cancelled`. */
export function abortedBy(signal: AbortSignal): MemoryError {
  return signal.reason instanceof MemoryError ? signal.reason : new MemoryError('cancelled', 'The call was cancelled.');
}
