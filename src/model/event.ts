// What the payload of each event says: written by the manager, read back by transcript, replay and audit.

import type { JsonObject } from './json.ts';
import type { Manifest } from './manifest.ts';
import type { ChatRequest } from './window.ts';

/** user_msg and model_msg. `cites` are citation ids found in an answer. */
export interface TurnPayload {
  readonly text: string;
  readonly speaker: string | null;
  readonly cites: readonly string[];
}

/** How a call ended (design L5). */
export type CallOutcome = 'ok' | 'denied' | 'invalid' | 'spent' | 'failed' | 'cancelled' | 'timed_out';

/** tool_call: every call. Only a call that was carried out keeps its arguments; others keep their hash and size. */
export interface ToolCallPayload {
  /** `call_<n>` within the run for a call that returned memory, else null. */
  readonly call_id: string | null;
  readonly tool: string;
  readonly arguments: JsonObject | null;
  readonly arguments_hash: string;
  readonly arguments_bytes: number;
  readonly outcome: CallOutcome;
  /** The error's code where the call failed. */
  readonly code: string | null;
  readonly client: { readonly name: string; readonly version: string } | null;
  readonly tokens: number;
  readonly milliseconds: number;
  readonly request_id: string;
}

/** tool_result: the text block of a call that returned memory. */
export interface ToolResultPayload {
  readonly call_id: string;
  readonly tool: string;
  readonly manifest_id: string;
  readonly text: string;
}

/** context_manifest: its event id is the manifest's id. */
export interface ManifestPayload {
  readonly manifest: Manifest;
}

/** request: the complete request that a manifest stands for. */
export interface RequestPayload {
  readonly manifest_id: string;
  readonly request: ChatRequest;
}

/** What a person said of an answer. */
export const feedbackVerdicts = ['accepted', 'rejected'] as const;

/** One of {@link feedbackVerdicts}. */
export type FeedbackVerdict = (typeof feedbackVerdicts)[number];

/** feedback: an answer beside the manifest of the window that it was given on, and what the citation check said of it. */
export interface FeedbackPayload {
  readonly manifest_id: string;
  readonly answer: string;
  readonly verdict: FeedbackVerdict | null;
  readonly report: JsonObject;
}

/** clarification: a question to the user and what came of it. */
export interface ClarificationPayload {
  readonly question: string;
  readonly options: readonly string[];
  readonly status: 'answered' | 'declined' | 'ask_in_reply';
  readonly answer: string | null;
}
