// The fixed slices of a window (design A1, A2, B2): their text, their tokens, and the rows that they came from.

import type { PrefixEntry, RefJson } from '../model/manifest.ts';
import type { Ref } from '../model/memory.ts';
import type { ChatTool } from '../model/window.ts';
import type { AssemblyInput } from './assembly_input.ts';
import type { FixedTokens } from './budget/reserve.ts';
import { assertInScope } from './effective_rows.ts';
import { canonicalHash } from './hash.ts';
import { chatTool, questionText, renderedTools, toolSurface } from './render/request.ts';
import {
  developerMessage,
  guidelinesSection,
  memorySection,
  personaSection,
  renderedGuidelines,
  renderedPersona,
} from './render/sections.ts';

/** What stands before the cache boundary, and the cost of all fixed slices. */
export interface FixedSlices {
  readonly developer: string;
  readonly tools: readonly ChatTool[];
  readonly tokens: FixedTokens;
  readonly entries: readonly PrefixEntry[];
}

/** What the fixed slices are made of. */
export type FixedInput = Pick<AssemblyInput, 'prefix' | 'evaluationTime' | 'countTokens' | 'scope' | 'question'>;

/** Renders and counts the fixed slices. Throws `scope_violation` for a row that the caller must not see. */
export function fixedSlicesOf(input: FixedInput): FixedSlices {
  const { prefix, evaluationTime: time, countTokens } = input;
  assertInScope([...prefix.guidelines, ...prefix.personas, ...prefix.tools], input.scope);
  const guidelines = guidelinesSection(prefix.guidelines, time);
  const persona = personaSection(prefix.personas, time);
  const memory = memorySection();
  const tools = renderedTools(prefix.tools, time);
  const chatTools = tools.map(chatTool);
  return {
    developer: developerMessage([guidelines, persona, memory]),
    tools: chatTools,
    tokens: {
      guidelines: countTokens(guidelines) + countTokens(memory),
      persona: countTokens(persona),
      tool_surface: countTokens(toolSurface(chatTools)),
      current_question: countTokens(questionText(input.question)),
    },
    entries: [
      ...renderedGuidelines(prefix.guidelines, time).map(keyed('guidelines')),
      ...renderedPersona(prefix.personas, time).map(keyed('persona')),
      ...tools.map((tool) => entry(tool.ref, 'tool_surface', chatTool(tool))),
    ],
  };
}

function keyed(slice: 'guidelines' | 'persona') {
  return (row: { readonly ref: Ref; readonly key: string; readonly value: unknown }) =>
    entry(row.ref, slice, { key: row.key, value: row.value });
}

function entry(ref: RefJson, slice: PrefixEntry['slice'], content: unknown): PrefixEntry {
  return { ref, slice, content_hash: canonicalHash(content) };
}
