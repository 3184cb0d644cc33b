// The record of a tool call (design L5, M1): what it spent, what it returned and what that depends on, or why it failed.

import type { AssembledResult, ToolResultInput } from '../assembly/assembly_input.ts';
import type { ResultShape } from '../assembly/result_shapes.ts';
import { spentResult } from '../assembly/tool_result.ts';
import { MemoryError } from '../model/errors.ts';
import type { RowId, RunId } from '../model/ids.ts';
import type { Run } from '../store/store.ts';
import type { NewEvent } from '../store/written_rows.ts';
import { callOptions } from './call_options.ts';
import type { Attempt, ReadMemory } from './call_parts.ts';
import { callIdOf, implicitRun, runningRun, spentNote } from './loop.ts';
import type { Call, ToolOutcome } from './manager.ts';
import type { Measurements } from './measure.ts';
import type { ManagerParts } from './parts.ts';
import { roundReplay } from './replay_record.ts';
import { newEvent, outcomeOf, recordManifest, toolCallPayload, toolResultEvent } from './record_event.ts';

/** Spends the round and writes call, result, manifest and request together. Throws `version_conflict` when raced. */
export async function recordResult(
  parts: ManagerParts,
  call: Call,
  made: {
    readonly read: ReadMemory;
    readonly attempt: Attempt;
    readonly result: AssembledResult;
    readonly measured: Measurements;
    /** What the result was assembled from. */
    readonly input: ToolResultInput;
  },
): Promise<void> {
  const { read, result } = made;
  const run = read.run.runId;
  const budget = read.policies.budget.budget;
  await parts.store.write(call.scope, callOptions(call), async (writer) => {
    const latest = runningRun(await writer.lockRun());
    if (read.isOpen ? latest?.runId !== run : latest !== null) {
      throw new MemoryError('version_conflict', 'Another call of this loop came first.', {});
    }
    if (read.isOpen) await writer.spendRound(run, { tokens: result.cost, roundsUsedBefore: read.run.roundsUsed });
    else await writer.openRun(implicitRun(run, budget), result.cost);
    const [resultEventId, retrieval] = [parts.newId('event'), parts.newId('event')];
    await recordManifest(writer, {
      manifest: result.manifest,
      request: result.request,
      events: callEvents(parts, call, { ...made, resultEventId, retrievalEventId: retrieval }),
      derived: [retrieval, resultEventId],
      requestEventId: parts.newId('event'),
      runId: run,
      consulted: read.wish.consulted,
    });
    await writer.issue(run, result.issued);
  });
}

/** The call, what its search found, and its result, in this order. */
function callEvents(
  parts: ManagerParts,
  call: Call,
  made: {
    readonly read: ReadMemory;
    readonly attempt: Attempt;
    readonly result: AssembledResult;
    readonly measured: Measurements;
    readonly input: ToolResultInput;
    readonly resultEventId: RowId;
    readonly retrievalEventId: RowId;
  },
): readonly NewEvent[] {
  const { read, attempt, result, measured, resultEventId } = made;
  const runId = read.run.runId;
  const callId = callIdOf(read.run);
  const manifestId = result.manifest.manifest_id;
  const milliseconds = parts.clockMs() - attempt.started;
  const called = toolCallPayload({
    callId,
    tool: attempt.tool,
    args: read.args,
    outcome: 'ok',
    code: null,
    client: call.client,
    tokens: result.cost,
    milliseconds,
    requestId: call.requestId,
  });
  const replay = roundReplay(made.input, read);
  const found = { plan: read.wish.plan, ...read.wish.retrieval, ...measured.record, replay, manifest_id: manifestId };
  return [
    newEvent('tool_call', called, {
      eventId: parts.newId('event'),
      runId,
      role: 'assistant',
      latencyMs: Math.round(milliseconds),
    }),
    newEvent('retrieval', found, { eventId: made.retrievalEventId, runId, role: 'system' }),
    toolResultEvent(
      { call_id: callId, tool: attempt.tool, manifest_id: manifestId, text: result.text },
      { eventId: resultEventId, runId, tokenCost: result.cost },
    ),
  ];
}

/** A result as its caller gets it, in the shape that its handler has. */
export function toolOutcome(
  { content, shaped, text }: Pick<AssembledResult, 'content' | 'shaped' | 'text'>,
  manifest: AssembledResult['manifest'] | null,
): ToolOutcome {
  return shaped === null
    ? { kind: 'memory', content, text, manifest }
    : { kind: 'shaped', content: shaped, text, manifest };
}

/** A spent loop answers without memory; the call is an event, and it does not put off the loop's end (L2). */
export async function recordSpent(
  parts: ManagerParts,
  call: Call,
  made: Attempt & { readonly run: Run; readonly shape: ResultShape | undefined },
): Promise<ToolOutcome> {
  const { tokensLeft, maxRounds, roundsUsed } = made.run;
  const result = spentResult(spentNote(made.run), { tokensLeft, roundsLeft: maxRounds - roundsUsed }, made.shape);
  await appendCall(parts, call, { ...made, outcome: 'spent', code: null, runId: made.run.runId });
  return toolOutcome(result, null);
}

/** A failed call is recorded where the store can; the caller gets the failure itself, never one of recording it. */
export async function recordFailure(
  parts: ManagerParts,
  call: Call,
  made: Attempt & { readonly error: unknown },
): Promise<void> {
  const { outcome, code } = outcomeOf(made.error);
  try {
    // The call's own signal and deadline may be what failed it.
    const { scope, requestId, client } = call;
    await appendCall(parts, { scope, requestId, client }, { ...made, outcome, code, runId: null });
  } catch (error) {
    parts.log.error({ requestId: call.requestId, error }, 'a failed call could not be recorded');
  }
}

async function appendCall(
  parts: ManagerParts,
  call: Call,
  made: Attempt & {
    readonly outcome: ReturnType<typeof outcomeOf>['outcome'];
    readonly code: ReturnType<typeof outcomeOf>['code'] | null;
    readonly runId: RunId | null;
  },
): Promise<void> {
  const milliseconds = parts.clockMs() - made.started;
  const payload = toolCallPayload({
    callId: null,
    tool: made.tool,
    args: made.args,
    outcome: made.outcome,
    code: made.code,
    client: call.client,
    tokens: 0,
    milliseconds,
    requestId: call.requestId,
  });
  await parts.store.write(call.scope, callOptions(call), async (writer) => {
    await writer.appendEvent(
      newEvent('tool_call', payload, { eventId: parts.newId('event'), runId: made.runId, role: 'assistant' }),
    );
  });
}
