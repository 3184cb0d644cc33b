// What the suite's fixture tools, resources and prompts answer: fixed contents under names that the suite fixes.

import {
  MissingRequiredClientCapabilityError,
  type CallToolResult,
  type CompleteResult,
  type GetPromptResult,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { setTimeout as pause } from 'node:timers/promises';

/** A call of a fixture tool. */
export interface FixtureCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: ServerContext;
}

/** A picture of one red dot, and a sound of no length. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, data: png, mimeType: 'image/png' };

/** A tool result of one text. */
export const said = (words: string): CallToolResult => ({ content: [text(words)] });

const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});

/** Tools that answer at once, in both eras. */
export const plainTools: Readonly<Record<string, (call: FixtureCall) => Promise<CallToolResult>>> = {
  test_simple_text: async () => said('This is a simple text response for testing.'),
  test_image_content: async () => ({ content: [image] }),
  test_audio_content: async () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: async () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: async () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: async () => ({ ...said('This tool intentionally returns an error for testing'), isError: true }),
  async test_tool_with_progress({ context }) {
    const { _meta: meta } = context.mcpReq;
    const progressToken = meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await pause(50);
      if (progressToken === undefined) continue;
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    }
    return said('The tool reported its progress.');
  },
  test_tool_with_logging: async ({ context }) => {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await context.mcpReq.log('info', words);
      await pause(50);
    }
    return said('The tool logged what it did.');
  },
  async test_logging_tool({ context }) {
    await context.mcpReq.log('info', 'Nobody asked for this line.');
    return said('The tool logged to whoever listens.');
  },
  async test_missing_capability() {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
};

/** The content of a fixture's resource; null for every other address. */
export function fixtureResource(uri: string): ReadResourceResult | null {
  if (uri === 'test://static-text')
    return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] };
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: png }] };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return null;
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text: data }] };
}

/** The fixture's addresses, beside the product's own. */
export const fixtureResources = [
  { uri: 'test://static-text', name: 'static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static binary', mimeType: 'image/png' },
] as const;

/** The fixture's template. */
export const fixtureTemplate = { uriTemplate: 'test://template/{id}/data', name: 'template' } as const;

const argument = (name: string) => ({ name, description: 'An argument.', required: true });

/** The fixture's prompts, beside the product's own. */
export const fixturePrompts = [
  { name: 'test_simple_prompt', description: 'Says one thing.' },
  { name: 'test_prompt_with_arguments', description: 'Says both.', arguments: [argument('arg1'), argument('arg2')] },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Brings a resource along.',
    arguments: [argument('resourceUri')],
  },
  { name: 'test_prompt_with_image', description: 'Brings a picture along.' },
  { name: 'test_input_required_result_prompt', description: 'Asks first.' },
];

const user = (content: GetPromptResult['messages'][number]['content']) => ({ role: 'user' as const, content });

/** The messages of a fixture's prompt; null for every other name. */
export function fixturePrompt(name: string, args: Readonly<Record<string, string>>): GetPromptResult | null {
  switch (name) {
    case 'test_simple_prompt':
      return { messages: [user(text('This is a simple prompt for testing.'))] };
    case 'test_prompt_with_arguments': {
      const { arg1 = '', arg2 = '' } = args;
      return { messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] };
    }
    case 'test_prompt_with_embedded_resource': {
      const { resourceUri = '' } = args;
      const resource = embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.');
      return { messages: [user(resource), user(text('Please process the embedded resource above.'))] };
    }
    case 'test_prompt_with_image':
      return { messages: [user(image), user(text('Please analyze the image above.'))] };
    default:
      return null;
  }
}

/** Values for an argument of a fixture's prompt; null for every other. */
export function fixtureCompletion(name: string, typed: string): CompleteResult | null {
  if (!fixturePrompts.some((prompt) => prompt.name === name)) return null;
  const values = ['paris', 'park', 'party', 'test'].filter((value) => value.startsWith(typed));
  return { completion: { values, total: values.length, hasMore: false } };
}
