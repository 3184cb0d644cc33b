// The prompt `context_window` (design T8): a question goes in, an assembled window comes out as two user messages.

import type { CompleteResult, GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import type { Call, MemoryManager } from '../manager/manager.ts';
import { MemoryError } from '../model/errors.ts';
import { intents, type Intent } from '../model/plan.ts';
import { completion } from './resources.ts';

const promptName = 'context_window';

/** The one prompt. */
export const prompts: ListPromptsResult['prompts'] = [
  {
    name: promptName,
    title: 'Context window',
    description: 'Assembles what memory holds on a question into a window within the budget, and records it.',
    arguments: [
      { name: 'question', description: 'The question to answer.', required: true },
      { name: 'intent', description: `What is wanted: ${intents.join(', ')}. Left out: told from the question.` },
    ],
  },
];

/** Assembles the window. Throws `invalid_argument` for an unknown prompt, argument or intent. */
export async function getPrompt(
  manager: MemoryManager,
  call: Call,
  wanted: { readonly name: string; readonly args: Readonly<Record<string, string>> },
): Promise<GetPromptResult> {
  if (wanted.name !== promptName) throw wrong('There is no such prompt.', 'name');
  const { question, intent, ...others } = wanted.args;
  if (Object.keys(others).length > 0) throw wrong('The prompt takes question and intent, nothing else.', 'arguments');
  if (question === undefined || question.trim() === '') throw wrong('The argument question is missing.', 'question');
  const { runId, request, manifest } = await manager.assembleWindow(call, {
    question,
    intent: intent === undefined ? null : intentOf(intent),
    at: null,
    model: null,
  });
  const texts = request.messages.flatMap(({ role, content }) =>
    (role === 'developer' || role === 'user') && content !== null ? [content] : [],
  );
  return {
    description: `Window of run ${runId}, manifest ${manifest.manifest_id}; the tools are those of tools/list.`,
    // The protocol's prompts know no developer role: its text goes first, as a user message.
    messages: texts.map((text) => ({ role: 'user', content: { type: 'text', text } })),
  };
}

/** Values of a prompt's argument that begin with what was typed; a question is for the person to word. */
export function completePrompt(wanted: {
  readonly name: string;
  readonly argument: string;
  readonly typed: string;
}): CompleteResult {
  if (wanted.name !== promptName) throw wrong('There is no such prompt.', 'ref');
  if (wanted.argument === 'intent') return completion(intents, wanted.typed);
  if (wanted.argument === 'question') return completion([], wanted.typed);
  throw wrong('The prompt has no such argument.', 'argument');
}

function intentOf(text: string): Intent {
  const intent = intents.find((known) => known === text);
  if (intent === undefined) throw wrong(`The argument intent must be one of ${intents.join(', ')}.`, 'intent');
  return intent;
}

function wrong(message: string, field: string): MemoryError {
  return new MemoryError('invalid_argument', message, { field });
}
