// clarify (design L4): asks the user through the transport, or hands the question back to the agent; the answer is kept.

import { MemoryError } from '../model/errors.ts';
import type { RunId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { callOptions } from './call_options.ts';
import type { AskUser, Call, ClarifyContent, ToolOutcome } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { clarificationEvent, newEvent, toolCallPayload } from './record_event.ts';
import { refuseSecrets } from './secrets.ts';
import { textArgument } from './text_argument.ts';

const maxQuestionChars = 1_000;
const maxOptions = 10;
const maxAnswerChars = 4_000;

/** Asking for a credential is refused before anyone is asked. */
const secretWords =
  /\b(password|passwort|passphrase|passcode|pin code|api[ _-]?key|access[ _-]?token|secret[ _-]?key|private[ _-]?key|credit card|cvv|mot de passe|contraseña|senha)\b|パスワード|密码/iu;

interface Clarification {
  readonly tool: string;
  readonly args: JsonObject;
  readonly ask: AskUser;
  readonly run: RunId | null;
  readonly started: number;
}

/** Costs no token and no round. Throws `invalid_argument` for a question that asks for a secret. */
export async function clarify(parts: ManagerParts, call: Call, made: Clarification): Promise<ToolOutcome> {
  const { question, options } = questionOf(made.args);
  const asked = await made.ask(question, options);
  if (asked.outcome === 'input_required') return { kind: 'input_required', question, options };
  const content = contentOf({ question, options, asked });
  if (content.answer !== null) await refuseSecrets([{ where: 'The answer', text: content.answer }]);
  await record(parts, call, { ...made, content });
  return { kind: 'clarify', content, text: JSON.stringify(content) };
}

function questionOf(args: JsonObject): { readonly question: string; readonly options: readonly string[] } {
  const question = textArgument(args, 'question');
  const options = Array.isArray(args['options']) ? args['options'].map((option) => String(option).toWellFormed()) : [];
  if (question.length > maxQuestionChars) {
    throw new MemoryError('invalid_argument', `The question is longer than ${maxQuestionChars} characters.`, {
      field: 'question',
    });
  }
  if (options.length > maxOptions) {
    throw new MemoryError('invalid_argument', `There may be at most ${maxOptions} options.`, { field: 'options' });
  }
  if (secretWords.test(question)) {
    throw new MemoryError('invalid_argument', 'A clarification never asks for a password, key or card number.', {
      field: 'question',
    });
  }
  return { question, options };
}

function contentOf(made: {
  readonly question: string;
  readonly options: readonly string[];
  readonly asked: Exclude<Awaited<ReturnType<AskUser>>, { outcome: 'input_required' }>;
}): ClarifyContent {
  const { question, options, asked } = made;
  if (asked.outcome === 'answered') {
    const answer = asked.answer.toWellFormed().slice(0, maxAnswerChars);
    return { status: 'answered', question, options, answer, notes: [] };
  }
  if (asked.outcome === 'declined') {
    const notes = ['The user declined to answer. Go on with stated assumptions, or ask in your reply.'];
    return { status: 'declined', question, options, answer: null, notes };
  }
  const why =
    asked.outcome === 'late' ? 'The user did not answer in time.' : 'This host cannot ask the user for the server.';
  const notes = [`${why} Ask the question in your reply and wait for the answer.`];
  return { status: 'ask_in_reply', question, options, answer: null, notes };
}

async function record(
  parts: ManagerParts,
  call: Call,
  made: Clarification & { readonly content: ClarifyContent },
): Promise<void> {
  const { question, options, status, answer } = made.content;
  const payload = toolCallPayload({
    callId: null,
    tool: made.tool,
    args: made.args,
    outcome: 'ok',
    code: null,
    client: call.client,
    tokens: 0,
    milliseconds: parts.clockMs() - made.started,
    requestId: call.requestId,
  });
  await parts.store.write(call.scope, callOptions(call), async (writer) => {
    await writer.appendEvents([
      newEvent('tool_call', payload, { eventId: parts.newId('event'), runId: made.run, role: 'assistant' }),
      clarificationEvent({ question, options, status, answer }, { eventId: parts.newId('event'), runId: made.run }),
    ]);
  });
}
