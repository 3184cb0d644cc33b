// The provider's own count of a request (design B6): asked only where it is configured, and never a reason to fail.

import type { ProviderEndpoint } from './config.ts';
import type { Log } from './log.ts';
import type { JsonValue } from './model/json.ts';
import type { ChatMessage, ChatRequest } from './model/window.ts';

const defaultDeadlineMs = 5000;
const longestAnswerBytes = 65_536;

/** Asks how many tokens a request has; null when the provider gave no figure in time. */
export type ProviderCount = (request: ChatRequest) => Promise<number | null>;

/**
 * Asks the `responses/input_tokens` endpoint of an OpenAI-compatible service, with a deadline in milliseconds. Whatever
 * goes wrong gives null and a warning in the log, without the request and without what the service wrote.
 */
export function createProviderCount(
  endpoint: ProviderEndpoint,
  log: Log,
  deadlineMs: number = defaultDeadlineMs,
): ProviderCount {
  return async (request) => {
    try {
      return await ask(endpoint, request, deadlineMs);
    } catch (error) {
      log.warn({ host: new URL(endpoint.url).host, reason: reasonOf(error) }, 'The provider gave no token count.');
      return null;
    }
  };
}

async function ask(endpoint: ProviderEndpoint, request: ChatRequest, deadlineMs: number): Promise<number> {
  const response = await fetch(`${endpoint.url.replace(/\/+$/, '')}/responses/input_tokens`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
    },
    body: JSON.stringify({ model: endpoint.model, ...responsesShape(request) }),
    signal: AbortSignal.timeout(deadlineMs),
    // A redirect could lead the key and the request to another host.
    redirect: 'error',
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const text = await response.text();
  if (text.length > longestAnswerBytes) throw new Error('an answer that is too long');
  return countIn(JSON.parse(text));
}

function countIn(answer: unknown): number {
  const count = typeof answer === 'object' && answer !== null && 'input_tokens' in answer ? answer.input_tokens : null;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
    throw new Error('an answer without a count');
  return count;
}

/** The request in the shape of that endpoint: items of input instead of messages, tools without their envelope. */
function responsesShape(request: ChatRequest): { readonly input: JsonValue; readonly tools: JsonValue } {
  return {
    input: request.messages.flatMap((message) => inputItems(message)),
    tools: request.tools.map(({ function: tool }) => ({
      type: 'function',
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      strict: false,
    })),
  };
}

function inputItems(message: ChatMessage): readonly JsonValue[] {
  switch (message.role) {
    case 'developer':
    case 'user':
      return [{ role: message.role, content: message.content }];
    case 'assistant':
      return message.tool_calls.map((call) => ({
        type: 'function_call',
        call_id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
      }));
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.tool_call_id, output: message.content }];
    default:
      throw message satisfies never;
  }
}

// The service's own words could repeat the request, and a parser's message quotes what it read.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof SyntaxError) return 'an answer that is no JSON';
  if (error.name === 'Error') return error.message;
  const cause = error.cause;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreachable';
}
