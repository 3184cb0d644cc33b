// What a command says when it fails: what happened, where, and what to do next; no stack and nothing of the database.

import { MemoryError } from '../model/errors.ts';
import type { ErrorCode } from '../model/errors.ts';
import { exitCodes } from './exit_codes.ts';
import type { ExitCode } from './exit_codes.ts';
import type { Print } from './print.ts';
import { plain } from './print.ts';

/** A failure as a command shows it. */
export interface Failure {
  readonly code: ErrorCode | 'usage';
  readonly message: string;
  readonly action: string;
  readonly exit: ExitCode;
}

type Advice = readonly [exit: ExitCode, action: string];

const program = 'context-assembly-memory';
const { failed, configuration, store, refused } = exitCodes;

/** What a person at a terminal can do about each code. */
const advice: Readonly<Record<ErrorCode, Advice>> = {
  invalid_configuration: [
    configuration,
    'Correct the variable, or remove it; README.md lists all with their defaults.',
  ],
  invalid_argument: [refused, 'Correct the value and try again.'],
  unknown_tool: [refused, `\`${program} doctor\` lists the tools of this user.`],
  tool_denied: [refused, "Ask the tenant's operator for the role that the tool asks for."],
  not_issued: [refused, 'Use an id that was shown in the current run.'],
  not_visible: [refused, 'Look for another memory; this one cannot be shown any more.'],
  not_found: [refused, `\`${program} manifest\` lists the newest manifests of this user.`],
  slice_overflow: [refused, 'Shorten that slice, or raise usable_context in guideline context_budget with `apply`.'],
  required_correction_unfit: [refused, 'Raise the share of durable_facts in guideline context_budget with `apply`.'],
  intent_without_shares: [
    refused,
    'Add shares for the intent, or `default`, to guideline context_budget with `apply`.',
  ],
  request_over_budget: [refused, 'Raise usable_context in guideline context_budget with `apply`.'],
  policy_missing: [refused, `Run \`${program} init\` for a default policy, or \`apply\` one of your own.`],
  policy_invalid: [refused, 'Write a corrected row of that guideline with `apply`.'],
  schema_missing: [store, `Run \`${program} migrate\`.`],
  schema_newer: [store, 'Install the version of this program that wrote the store, or a newer one.'],
  tenant_not_initialised: [refused, `Run \`${program} init\`, or \`${program} apply FILE\` with rows of your own.`],
  embedder_mismatch: [
    store,
    `Set CONTEXT_EMBEDDER and its model to those that wrote the store and start again, or run \`${program} reembed\`.`,
  ],
  embedder_unavailable: [failed, `Nothing was written; \`${program} doctor\` says what the embedder lacks.`],
  privileged_account: [store, 'Connect with an account that is only a member of the runtime role.'],
  store_unavailable: [
    store,
    `\`${program} doctor\` says what is reachable; check the folder, or the address of the server.`,
  ],
  store_locked: [store, `\`${program} doctor\` says who holds it and whether that process still lives.`],
  version_conflict: [failed, 'Someone else changed the same row; run the command again.'],
  invalid_seed: [refused, 'Correct that field of the file; nothing was written.'],
  backup_refused: [refused, 'Do what the message says; nothing was changed.'],
  host_file_refused: [refused, 'Do what the message says, or add the entry by hand: --print shows it.'],
  secret_refused: [refused, 'Remove the credential from that field; nothing was written.'],
  text_refused: [refused, 'Remove the character from that field; nothing was written.'],
  scope_violation: [refused, 'Write only rows of the tenant and user that this process serves.'],
  deadline_exceeded: [failed, 'Run it again; if it happens often, look at the machine or the store.'],
  cancelled: [failed, 'Run it again when you want the result.'],
  outcome_unknown: [
    failed,
    'Look whether it took effect; `apply`, `ingest`, `seed`, `init` and `migrate` can simply run again.',
  ],
  internal: [failed, 'Run it again with CONTEXT_LOG_LEVEL=debug and report what it logs under the request id.'],
};

/** Any thrown value as a failure to show; what nobody foresaw becomes `internal` and is for the log. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof MemoryError)) {
    const [exit, action] = advice.internal;
    return { code: 'internal', message: 'Something failed that should not have.', action, exit };
  }
  const [exit, action] = advice[error.code];
  return { code: error.code, message: withField(error), action, exit };
}

// The row and the field of a refused file stand in the data; a message that names them already is left alone.
function withField(error: MemoryError): string {
  const places = ['file', 'row', 'field'].flatMap((name) => {
    const value = error.data[name];
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    return text === '' || error.message.includes(text) ? [] : [`${name} ${text}`];
  });
  return places.length === 0 ? error.message : `${error.message} (${places.join(', ')})`;
}

/** Tells a person on stderr, or a machine on stdout. */
export function printFailure(
  print: Print,
  failure: Failure,
  told: { readonly json: boolean; readonly requestId: string },
): void {
  const { code, message, action } = failure;
  if (told.json) {
    print.json({ error: { code, message, action, request_id: told.requestId } });
    return;
  }
  print.note(`${print.paintNote('bad', 'error')} ${plain(message)}`);
  print.note(`  ${print.paintNote('faint', 'what to do:')} ${plain(action)}`);
  print.note(
    `  ${print.paintNote('faint', 'code:')} ${code}  ${print.paintNote('faint', 'request:')} ${told.requestId}`,
  );
}
