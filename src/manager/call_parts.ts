// What the rooms of a tool call hand to each other.

import type { ToolResultInput } from '../assembly/assembly_input.ts';
import type { ResultShape } from '../assembly/result_shapes.ts';
import type { JsonObject } from '../model/json.ts';
import type { Ref } from '../model/memory.ts';
import type { Position, Run } from '../store/store.ts';
import type { Gathered } from './gather.ts';
import type { HandlerName } from './handlers.ts';
import type { loopState } from './loop.ts';
import type { AskUser, Call } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import type { readPrefix, WindowSnapshot } from './read_window.ts';

/** How a handler wants its candidates shown; the rest of a result is the same for all. */
export interface HandlerWish {
  readonly gathered: Gathered;
  readonly plan: WindowSnapshot['plan'];
  /** Rows whose words stand in plan or notes, candidates or not. */
  readonly consulted: readonly Ref[];
  /** What the reranker compares the memories with. */
  readonly question: string;
  readonly retrieval: JsonObject;
  readonly show: Pick<ToolResultInput, 'order' | 'limit' | 'tiers' | 'notes' | 'moreHint' | 'admittedBy' | 'named'>;
}

/** What a handler is given. */
export interface HandlerCall {
  readonly parts: ManagerParts;
  readonly call: Call;
  readonly args: JsonObject;
  /** The vector of the text that the arguments ask with, or null. */
  readonly questionVector: Float32Array | null;
  readonly policies: WindowSnapshot['policies'];
  /** The run that the call continues; null where it will begin one. */
  readonly run: Run | null;
}

/** One try of a call. */
export interface Attempt {
  readonly tool: string;
  readonly args: unknown;
  readonly ask: AskUser;
  readonly started: number;
}

/** What the snapshot said of a call that returns memory. */
export interface ReadMemory {
  readonly kind: 'memory';
  readonly args: JsonObject;
  readonly handler: HandlerName;
  readonly shape: ResultShape | undefined;
  readonly wish: HandlerWish;
  readonly run: Run;
  /** False where this call opens its own implicit run. */
  readonly isOpen: boolean;
  readonly prefix: Awaited<ReturnType<typeof readPrefix>>;
  readonly policies: WindowSnapshot['policies'];
  readonly position: Position;
  readonly loop: ReturnType<typeof loopState>;
}
