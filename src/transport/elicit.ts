// How a person is asked (design L4): a request with a time-out in the older era, a sealed second round in the newer.

import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  SdkError,
  SdkErrorCode,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type RequestStateCodec,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import canonicalize from 'canonicalize';
import type { Asked, AskUser } from '../manager/manager.ts';
import { MemoryError } from '../model/errors.ts';
import type { Scope } from '../model/scope.ts';
import { isNewerEra, type Deadline } from './call_context.ts';

const answerKey = 'answer';
const longestAnswer = 4_000;
/** How long sealed state can be told from forged state; an answer within it but after its deadline is merely late. */
const sealSeconds = 86_400;

/** What is sealed into the state of the first round: when the answer comes too late, in milliseconds since 1970. */
export interface SealedQuestion {
  readonly deadlineMs: number;
}

/** What ties sealed state to its call: nobody can carry it to another principal, thread, tool or question. */
export interface SealedTo {
  readonly scope: Scope;
  readonly principalKey: string;
  readonly tool: string;
  readonly args: unknown;
}

/** The state of one call, sealed with a key that this process, or all processes of one database, have. */
export function sealFor(key: Uint8Array, to: SealedTo): RequestStateCodec<SealedQuestion> {
  const { tenantId, userId, agentId, threadId } = to.scope;
  const binding = canonicalize([tenantId, userId, agentId, threadId, to.principalKey, to.tool, to.args]) ?? '';
  return createRequestStateCodec<SealedQuestion>({ key, ttlSeconds: sealSeconds, bind: () => binding });
}

/**
 * Opens the state that a retried call brings back; null where the call is a first one. Throws `invalid_argument` for
 * state that was not sealed for this very call.
 */
export async function openSeal(
  codec: RequestStateCodec<SealedQuestion>,
  context: ServerContext,
): Promise<SealedQuestion | null> {
  const state = context.mcpReq.requestState();
  if (state === undefined) return null;
  try {
    if (typeof state !== 'string') throw new TypeError('requestState is no text');
    return await codec.verify(state, context);
  } catch (error) {
    const message = 'The requestState was not given for this call.';
    throw new MemoryError('invalid_argument', message, { field: 'requestState' }, error);
  }
}

/** The first round's answer in the newer era: the question, and when it has to be answered. */
export async function askInSecondRound(
  question: { readonly question: string; readonly options: readonly string[] },
  codec: RequestStateCodec<SealedQuestion>,
  round: { readonly context: ServerContext; readonly clarifyDeadlineMs: number },
): Promise<InputRequiredResult> {
  const deadlineMs = Date.now() + round.clarifyDeadlineMs;
  return inputRequired({
    inputRequests: { [answerKey]: inputRequired.elicit(form(question.question, question.options)) },
    requestState: await codec.mint({ deadlineMs }, round.context),
  });
}

/** How the person at this connection is asked during this call. */
export function askUser(
  server: Server,
  context: ServerContext,
  options: {
    readonly deadline: Deadline;
    readonly clarifyDeadlineMs: number;
    readonly sealed: SealedQuestion | null;
  },
): AskUser {
  const { sealed, deadline, clarifyDeadlineMs } = options;
  if (isNewerEra(server)) {
    if (sealed !== null) {
      return async (_, choices) => (Date.now() > sealed.deadlineMs ? { outcome: 'late' } : answered(context, choices));
    }
    const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
    const supported = takesForms(envelope?.[CLIENT_CAPABILITIES_META_KEY]);
    return async () => ({ outcome: supported ? 'input_required' : 'unsupported' });
  }
  if (!takesForms(server.getClientCapabilities())) return async () => ({ outcome: 'unsupported' });
  return async (question, choices) => {
    deadline.pause();
    try {
      return await askNow(context, { question, choices }, clarifyDeadlineMs);
    } finally {
      deadline.resume();
    }
  };
}

async function askNow(
  context: ServerContext,
  { question, choices }: { readonly question: string; readonly choices: readonly string[] },
  timeout: number,
): Promise<Asked> {
  const { signal, id: relatedRequestId } = context.mcpReq;
  const params = form(question, choices);
  try {
    const { action, content } = await context.mcpReq.elicitInput(params, { timeout, signal, relatedRequestId });
    return outcomeOf(action, content, choices);
  } catch (error) {
    if (signal.aborted) throw new MemoryError('cancelled', 'The call was cancelled.', {}, error);
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return { outcome: 'late' };
    // A client may declare what it cannot do, or answer off the form: either way nobody was asked well.
    return { outcome: 'unsupported' };
  }
}

function answered(context: ServerContext, choices: readonly string[]): Asked {
  const response = inputResponse(context.mcpReq.inputResponses, answerKey);
  return response.kind === 'elicit'
    ? outcomeOf(response.action, response.content, choices)
    : { outcome: 'unsupported' };
}

function outcomeOf(
  action: string,
  content: Readonly<Record<string, unknown>> | undefined,
  choices: readonly string[],
): Asked {
  if (action !== 'accept') return { outcome: 'declined' };
  const answer = content?.[answerKey];
  if (typeof answer !== 'string' || answer.trim() === '') return { outcome: 'declined' };
  // What is in no list that was offered was not chosen by the person from that list.
  return choices.length === 0 || choices.includes(answer)
    ? { outcome: 'answered', answer }
    : { outcome: 'unsupported' };
}

function takesForms(capabilities: unknown): boolean {
  if (typeof capabilities !== 'object' || capabilities === null || !('elicitation' in capabilities)) return false;
  const declared = capabilities.elicitation;
  if (typeof declared !== 'object' || declared === null) return false;
  // Before there were modes, an empty object meant forms.
  return 'form' in declared || !('url' in declared);
}

function form(question: string, options: readonly string[]): ElicitRequestFormParams {
  const choices = [...new Set(options)];
  const answer =
    choices.length === 0
      ? { type: 'string' as const, title: 'Answer', minLength: 1, maxLength: longestAnswer }
      : { type: 'string' as const, title: 'Answer', enum: choices };
  const properties = { [answerKey]: answer };
  return { message: question, requestedSchema: { type: 'object', properties, required: [answerKey] } };
}
