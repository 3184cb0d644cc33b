// The agent loop as rows (design L1, L2): which run a call belongs to, what it has left, and the request it continues.

import type { LoopState } from '../assembly/assembly_input.ts';
import type { Budget } from '../model/budget.ts';
import type { RunId } from '../model/ids.ts';
import type { ChatMessage, ChatRequest, ChatTool } from '../model/window.ts';
import type { Run, Transcript } from '../store/store.ts';
import type { NewRun } from '../store/written_rows.ts';

/** The run that a call continues, or null: none yet, or the last one ended by idleness, so an implicit one begins. */
export function runningRun(latest: Run | null): Run | null {
  return latest !== null && latest.idleFor < latest.idleSeconds ? latest : null;
}

/** The run that a window opens. */
export function windowRun(runId: RunId, budget: Budget): NewRun {
  return {
    runId,
    kind: 'window',
    maxRounds: budget.maxRounds,
    toolReserve: budget.toolReserve,
    maxToolResultTokens: budget.maxToolResultTokens,
    idleSeconds: budget.implicitRun.idleSeconds,
  };
}

/** The run of a host that never asked for a window. */
export function implicitRun(runId: RunId, budget: Budget): NewRun {
  const { maxRounds, toolReserve, maxToolResultTokens, idleSeconds } = budget.implicitRun;
  return { runId, kind: 'implicit', maxRounds, toolReserve, maxToolResultTokens, idleSeconds };
}

/** A run that is opened by the call itself, as it stands before its first round. */
export function freshRun(run: NewRun): Run {
  return { ...run, roundsUsed: 0, tokensLeft: run.toolReserve, idleFor: 0 };
}

/** True when a run has no round or no token left. */
export function isSpent(run: Run): boolean {
  return run.roundsUsed >= run.maxRounds || run.tokensLeft <= 0;
}

/** What a spent loop tells the agent: no error, since answering with stated limits is the right next step. */
export function spentNote(run: Run): string {
  const seconds = Math.max(1, run.idleSeconds - run.idleFor);
  return (
    `The loop budget of this question is spent. It comes back after ${seconds} seconds without a call, or with the ` +
    'next context window. Answer now from what you have, and say what you could not look up.'
  );
}

/** The id of the next recorded call of a run. */
export function callIdOf(run: Run): string {
  return callIdOfRound(run.roundsUsed + 1);
}

/** The id of the call that a round of a run recorded. */
export function callIdOfRound(round: number): string {
  return `call_${round}`;
}

/** The loop's state as the assembly needs it; an implicit run knows only its own calls. */
export function loopState(run: Run, transcript: Transcript, tools: readonly ChatTool[]): LoopState {
  return {
    kind: run.kind,
    tokensLeft: run.tokensLeft,
    roundsLeft: run.maxRounds - run.roundsUsed,
    maxToolResultTokens: run.maxToolResultTokens,
    request: requestSoFar(transcript, tools),
  };
}

/** What a run exchanged, as one request; `tools` are those of a run that no window opened. */
export function requestSoFar(transcript: Transcript, tools: readonly ChatTool[]): ChatRequest {
  const calls = transcript.calls.flatMap((call): readonly ChatMessage[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: call.callId, type: 'function', function: { name: call.tool, arguments: call.arguments } }],
    },
    { role: 'tool', tool_call_id: call.callId, content: call.result },
  ]);
  return {
    messages: [...(transcript.initial?.messages ?? []), ...calls],
    tools: transcript.initial?.tools ?? tools,
  };
}
