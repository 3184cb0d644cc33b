// The suite's fixture tools that ask the client something first: by requests of their own in the older era, in rounds in
// the newer.

import { randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ElicitRequestFormParams,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { said, type FixtureCall } from './fixture_content.ts';

type Asking = (call: FixtureCall) => Promise<CallToolResult | InputRequiredResult>;

const codec = createRequestStateCodec<{ readonly round: number }>({ key: randomBytes(32), ttlSeconds: 600 });

type Properties = ElicitRequestFormParams['requestedSchema']['properties'];

const formOf = (message: string, properties: Properties): ElicitRequestFormParams => ({
  message,
  requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
});
const form = (message: string, name: string) => formOf(message, { [name]: { type: 'string' } });

const askName = inputRequired.elicit(form('What is your name?', 'name'));
const askConsent = inputRequired.elicit(formOf('Please confirm', { ok: { type: 'boolean' } }));
const askModel = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens });

/** What came back under a key, where it is of the kind that was asked for. */
function answerTo(context: ServerContext, key: string, kind: 'elicit' | 'sampling' | 'roots'): object | null {
  const view = inputResponse(context.mcpReq.inputResponses, key);
  return view.kind === kind ? view : null;
}

/** The round that sealed state names; null without state. State that was not sealed here is refused. */
async function roundOf(context: ServerContext): Promise<number | null> {
  const state = context.mcpReq.requestState<string>();
  if (state === undefined) return null;
  try {
    return (await codec.verify(state, context)).round;
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is not one of ours.');
  }
}

/** Asks one thing with sealed state, and ends with these words when the answer and the state come back. */
const confirmed =
  (words: string): Asking =>
  async ({ context }) => {
    const round = await roundOf(context);
    if (round !== null && answerTo(context, 'confirm', 'elicit') !== null) return said(words);
    return inputRequired({
      inputRequests: { confirm: askConsent },
      requestState: await codec.mint({ round: 1 }, context),
    });
  };

async function inRounds({ context }: FixtureCall): Promise<CallToolResult | InputRequiredResult> {
  const round = (await roundOf(context)) ?? 0;
  if (round === 2 && answerTo(context, 'step2', 'elicit') !== null) return said('Both steps were answered.');
  const next = round === 0 ? 1 : 2;
  const question = next === 1 ? form('Step 1: What is your name?', 'name') : form('Step 2: Which color?', 'color');
  return inputRequired({
    inputRequests: { [`step${next}`]: inputRequired.elicit(question) },
    requestState: await codec.mint({ round: next }, context),
  });
}

async function severalAtOnce({ context }: FixtureCall): Promise<CallToolResult | InputRequiredResult> {
  const round = await roundOf(context);
  const answers = [
    answerTo(context, 'user_name', 'elicit'),
    answerTo(context, 'greeting', 'sampling'),
    answerTo(context, 'client_roots', 'roots'),
  ];
  if (round !== null && answers.every((answer) => answer !== null)) return said('All three were answered.');
  return inputRequired({
    inputRequests: {
      user_name: askName,
      greeting: askModel('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await codec.mint({ round: 1 }, context),
  });
}

async function whatTheClientCan({ context }: FixtureCall): Promise<InputRequiredResult> {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = Object(envelope?.[CLIENT_CAPABILITIES_META_KEY]) as Readonly<Record<string, unknown>>;
  return inputRequired({
    inputRequests: {
      ...('elicitation' in capabilities ? { user_name: askName } : {}),
      ...('sampling' in capabilities ? { greeting: askModel('Generate a greeting', 50) } : {}),
    },
  });
}

/** Tools of the newer era: the question is an answer, and the answer comes with the next call. */
export const roundTools: Readonly<Record<string, Asking>> = {
  async test_input_required_result_elicitation({ context }) {
    const view = inputResponse(context.mcpReq.inputResponses, 'user_name');
    if (view.kind === 'elicit' && view.action === 'accept') return said(`Hello, ${String(view.content?.['name'])}!`);
    return inputRequired({ inputRequests: { user_name: askName } });
  },
  async test_input_required_result_sampling({ context }) {
    const view = inputResponse(context.mcpReq.inputResponses, 'capital_question');
    if (view.kind === 'sampling') return said(`The model said: ${JSON.stringify(view.result.content)}`);
    return inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?', 100) } });
  },
  async test_input_required_result_list_roots({ context }) {
    const view = inputResponse(context.mcpReq.inputResponses, 'client_roots');
    if (view.kind === 'roots') return said(`The roots are ${view.roots.map(({ uri }) => uri).join(', ')}.`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  test_input_required_result_request_state: confirmed('state-ok'),
  test_input_required_result_tampered_state: confirmed('The state came back as it was.'),
  test_input_required_result_multiple_inputs: severalAtOnce,
  test_input_required_result_multi_round: inRounds,
  test_input_required_result_capabilities: whatTheClientCan,
  test_streaming_elicitation: async () => inputRequired({ inputRequests: { user_name: askName } }),
};

/** The prompt that asks first, by the same rounds. */
export function askingPrompt(context: ServerContext): GetPromptResult | InputRequiredResult {
  if (answerTo(context, 'user_context', 'elicit') === null) {
    const question = inputRequired.elicit(form('What context should the prompt use?', 'context'));
    return inputRequired({ inputRequests: { user_context: question } });
  }
  return { messages: [{ role: 'user', content: { type: 'text', text: 'The context was given.' } }] };
}

const enumOf = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word}${at + 1}`);
const titled = (word: string) => enumOf('value', 3).map((value, at) => ({ const: value, title: `${word} ${at + 1}` }));

const everyDefault: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const everyChoice: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: enumOf('option', 3) },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: { type: 'string', enum: enumOf('opt', 3), enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: enumOf('option', 3) } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
};

const oneText = (description: string) => ({ type: 'string' as const, description });

const asking =
  (question: (call: FixtureCall) => ElicitRequestFormParams, words: string): Asking =>
  async (call) => {
    const { context } = call;
    const relatedRequestId = context.mcpReq.id;
    const { action, content } = await context.mcpReq.elicitInput(question(call), { relatedRequestId });
    return said(`${words}: action=${action}, content=${JSON.stringify(content ?? {})}`);
  };

/** Tools of the older era: the question is a request to the client while the call waits. */
export const requestTools: Readonly<Record<string, Asking>> = {
  async test_sampling({ args, context }) {
    const words = String(args['prompt']);
    const params = {
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: words } }],
      maxTokens: 100,
    };
    const { content } = await context.mcpReq.requestSampling(params, { relatedRequestId: context.mcpReq.id });
    return said(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`);
  },
  test_elicitation: asking(
    ({ args }) => ({
      message: String(args['message']),
      requestedSchema: {
        type: 'object',
        properties: { username: oneText("User's response"), email: oneText("User's email address") },
        required: ['username', 'email'],
      },
    }),
    'User response',
  ),
  test_elicitation_sep1034_defaults: asking(
    () => ({ message: 'Please review the defaults', requestedSchema: everyDefault }),
    'Elicitation completed',
  ),
  test_elicitation_sep1330_enums: asking(
    () => ({ message: 'Please choose', requestedSchema: everyChoice }),
    'Elicitation completed',
  ),
};
