// The request (design A2, B7): developer message, tools, and the user message that ends with the question.

import type { Tool } from '../../model/memory.ts';
import type { EvaluationTime } from '../../model/time.ts';
import type { ChatRequest, ChatTool, CountTokens } from '../../model/window.ts';
import { effectiveRows } from '../effective_rows.ts';
import { canonicalHash, canonicalJson } from '../hash.ts';

/** Tokens that a provider adds around each message (design B6). */
const tokensPerMessage = 4;

/** The tools in effect, narrowest row of each name, sorted by name (design A1). */
export function renderedTools(rows: readonly Tool[], time: EvaluationTime): readonly Tool[] {
  return effectiveRows(rows, time, (row) => row.name);
}

/** A tool in Chat Completions shape. */
export function chatTool(tool: Tool): ChatTool {
  return {
    type: 'function',
    function: { name: tool.name, description: tool.usageNotes, parameters: tool.schema },
  };
}

/** The tools as they are counted: canonical JSON of name, description and input schema (design B6). */
export function toolSurface(tools: readonly ChatTool[]): string {
  return canonicalJson(
    tools.map(({ function: tool }) => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.parameters,
    })),
  );
}

/** The question as it is sent: well-formed, otherwise the caller's own text. */
export function questionText(question: string): string {
  return question.toWellFormed();
}

/** The user message: the tags, the elements between them, an empty line, the question (design B7). */
export function userMessage(elements: readonly string[], question: string): string {
  return `${['<memory_context>', ...elements, '</memory_context>'].join('\n')}\n\n${questionText(question)}`;
}

/**
 * Tokens of a whole request (design B6): each message's content as plain text, the tools' JSON, and 4 a message.
 * An assistant's call has no content; its name and arguments count in its place.
 */
export function countRequest(request: ChatRequest, countTokens: CountTokens): number {
  const messages = request.messages.map((message) => {
    if (message.content !== null) return countTokens(message.content) + tokensPerMessage;
    const calls = message.tool_calls.map(
      (call) => countTokens(call.function.name) + countTokens(call.function.arguments),
    );
    return sum(calls) + tokensPerMessage;
  });
  return sum(messages) + countTokens(toolSurface(request.tools));
}

/** The hash of the complete request in Chat Completions shape (design M1). */
export function requestHash(request: ChatRequest): string {
  return canonicalHash({ messages: request.messages, tools: request.tools });
}

/** The hash of what stands before the cache boundary: developer message and tools (design A1). */
export function prefixHash(request: ChatRequest): string {
  return canonicalHash({
    messages: request.messages.filter((message) => message.role === 'developer'),
    tools: request.tools,
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
