// A service on this machine that speaks the protocol of chat completions, as well or as badly as a test asks.

import { type Answer as AnyAnswer, jsonService, type SeenRequest } from '../service/json_service.ts';

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** What the service does with each request. */
export type Answer = AnyAnswer<ChatBody>;

/** A running service. */
export interface ChatService {
  readonly url: string;
  readonly seen: readonly SeenRequest<ChatBody>[];
  close(): void;
}

/** Starts a service on a free port of the loopback address. */
export async function chatService(answer: Answer): Promise<ChatService> {
  const service = await jsonService(answer);
  return { url: `${service.origin}/v1`, seen: service.seen, close: () => service.close() };
}

/** A completion that says this. */
export function completion(content: unknown, finishReason = 'stop'): string {
  return JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finishReason }],
  });
}
