// What a failure looks like from outside (design T6): caught once, here, and told without a trace of how it is built.

import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server';
import { MemoryError, outcomeUnknownAction, type ErrorCode } from '../model/errors.ts';

/** The one shape in which a caller learns of a failure; the log has the detail under `request_id`. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly action: string;
    readonly request_id: string;
  };
}

const unexpected = 'Something unexpected went wrong in the memory server.';

/** What the caller should do about a failure: one sentence for each code. */
export function actionFor(code: ErrorCode): string {
  switch (code) {
    case 'invalid_configuration':
      return 'Ask the operator to correct the setting that the message names and to start the server again.';
    case 'invalid_argument':
      return 'Correct what the message names and try again.';
    case 'unknown_tool':
      return 'List the tools and call one of those.';
    case 'tool_denied':
      return 'Do not repeat the call; go on without this tool, or sign in with the permission that it needs.';
    case 'not_issued':
      return 'Use an id that a window or a tool result of this run has shown; search again to get one.';
    case 'not_visible':
      return 'Leave this memory out; search again for what can be read now.';
    case 'not_found':
      return 'Check the id or address; list the resources to see what exists.';
    case 'slice_overflow':
      return 'Shorten the question, or ask the operator to shorten that part or raise usable_context in the guideline context_budget.';
    case 'required_correction_unfit':
      return 'Ask a narrower question, or ask the operator to give durable_facts a larger share in the guideline context_budget.';
    case 'intent_without_shares':
      return 'Ask the operator to add shares for this intent, or for default, to the guideline context_budget.';
    case 'request_over_budget':
      return 'Shorten the question, or ask the operator to raise usable_context in the guideline context_budget.';
    case 'policy_missing':
      return 'Ask the operator to run `context-assembly-memory init` for this tenant, or to apply a guideline context_budget.';
    case 'policy_invalid':
      return 'Ask the operator to apply a corrected policy row; the log says what is wrong with this one.';
    case 'schema_missing':
      return 'Ask the operator to run `context-assembly-memory migrate`.';
    case 'schema_newer':
      return 'Ask the operator to upgrade this program to the version that the database was migrated by.';
    case 'tenant_not_initialised':
      return 'Ask the operator to run `context-assembly-memory init` for this tenant.';
    case 'embedder_mismatch':
      return 'Ask the operator to configure the embedder that the store was filled with, or to embed it anew.';
    case 'embedder_unavailable':
      return 'Try again in a few seconds; nothing was written. If it goes on, ask the operator to run `context-assembly-memory doctor`.';
    case 'privileged_account':
      return 'Ask the operator to connect with an account that has the runtime role alone.';
    case 'store_unavailable':
      return 'Try again in a few seconds; if it goes on, ask the operator to run `context-assembly-memory doctor`.';
    case 'store_locked':
      return 'Stop the other process that holds the data folder, or give this one another CONTEXT_DATA_DIR.';
    case 'version_conflict':
      return 'Read the current version and try again.';
    case 'invalid_seed':
      return 'Correct the file at the row and field that the message names; nothing was written.';
    case 'backup_refused':
      return 'Do what the message names; nothing was written.';
    case 'host_file_refused':
      return 'Do what the message names; the file was left as it was.';
    case 'secret_refused':
      return 'Remove the credential from the text; memory must not hold any.';
    case 'text_refused':
      return 'Remove the characters that the message names and try again.';
    case 'scope_violation':
      return 'Do not repeat the call; give the request id to the operator.';
    case 'deadline_exceeded':
      return 'Try again with a narrower request.';
    case 'cancelled':
      return 'Nothing needs to be done; call again if the result is still wanted.';
    case 'outcome_unknown':
      return outcomeUnknownAction;
    case 'internal':
      return 'Try again once; if it fails again, give the request id to the operator.';
    default:
      return code satisfies never;
  }
}

/** What the caller is told of any thrown value; all but a MemoryError is told as `internal`, without its text. */
export function errorBody(error: unknown, requestId: string): ErrorBody {
  const { code, message } = error instanceof MemoryError ? error : ({ code: 'internal', message: unexpected } as const);
  return { error: { code, message, action: actionFor(code), request_id: requestId } };
}

/** A failed tool call: text alone, because older clients check structured content even then and would hide the code. */
export function toolFailure(error: unknown, requestId: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(errorBody(error, requestId)) }] };
}

/** A failure as JSON-RPC error, for all but tool results; `more` joins the object in `data`. */
export function protocolFailure(
  error: unknown,
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): ProtocolError {
  const body = errorBody(error, requestId);
  return new ProtocolError(protocolCode(body.error.code), body.error.message, { ...more, ...body });
}

/** Failures that lie in what was asked; all others lie here. */
const callersFault: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_argument',
  'unknown_tool',
  'not_found',
  'not_issued',
  'not_visible',
]);

function protocolCode(code: ErrorCode): number {
  return callersFault.has(code) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
}
