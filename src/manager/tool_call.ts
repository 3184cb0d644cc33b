// The bracket of every tool call (design T2, L1–L5): row, policy, arguments, budget, result, events; nothing half written.

import { canonicalJson } from '../assembly/hash.ts';
import { assembleToolResult } from '../assembly/tool_result.ts';
import type { ToolResultInput } from '../assembly/assembly_input.ts';
import type { ResultShape } from '../assembly/result_shapes.ts';
import { MemoryError } from '../model/errors.ts';
import { runId as toRunId, type RunId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { chatTool, renderedTools } from '../assembly/render/request.ts';
import type { Run, SnapshotReader } from '../store/store.ts';
import { wellFormed } from '../store/well_formed.ts';
import { recordOf } from './assemble_window.ts';
import { callOptions } from './call_options.ts';
import type { Attempt, HandlerCall, ReadMemory } from './call_parts.ts';
import { clarify } from './clarify.ts';
import { withDerived } from './derive.ts';
import { callIdOf, freshRun, implicitRun, isSpent, loopState, runningRun } from './loop.ts';
import type { AskUser, Call, ToolOutcome } from './manager.ts';
import { measure, type Measurements } from './measure.ts';
import type { ManagerParts } from './parts.ts';
import { policiesOf } from './policies.ts';
import { noQuestion, questionVector, type QuestionVector } from './question_vector.ts';
import { readPrefix, type WindowSnapshot } from './read_window.ts';
import { recordFailure, recordResult, recordSpent, toolOutcome } from './record_call.ts';
import { gatherExpand } from './expand.ts';
import { gatherLookup } from './lookup_entity.ts';
import { gatherHistory } from './search_history.ts';
import { gatherSearch } from './search_memory.ts';
import { gatherDocument, gatherLinks, shapeOf } from './shaped_handlers.ts';
import { checkArgumentSize, toolForCall, validateArguments } from './toolbox.ts';

/** Calls of one loop that race are tried again with what is left after the other. */
const maxAttempts = 5;

/** Carries out a call and records it, refused ones too; throws MemoryError. */
export async function callTool(
  parts: ManagerParts,
  call: Call,
  request: { readonly tool: string; readonly args: unknown; readonly ask: AskUser },
): Promise<ToolOutcome> {
  const started = parts.clockMs();
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptCall(parts, call, { ...request, started });
      } catch (error) {
        const raced = error instanceof MemoryError && error.code === 'version_conflict';
        if (!raced || attempt >= maxAttempts) throw error;
      }
    }
  } catch (error) {
    await recordFailure(parts, call, { ...request, started, error });
    throw error;
  }
}

async function attemptCall(parts: ManagerParts, call: Call, attempt: Attempt): Promise<ToolOutcome> {
  checkArgumentSize(attempt.args);
  const asked = await questionVectorOf(parts, call, attempt.args);
  const read = await parts.store.read(call.scope, { ...callOptions(call), evaluationTime: null }, async (reader) =>
    readCall(reader, parts, { call, attempt, vector: asked.vector }),
  );
  if (read.kind === 'clarify') return clarify(parts, call, { ...attempt, args: read.args, run: read.run });
  if (read.kind === 'spent') return recordSpent(parts, call, { ...attempt, run: read.run, shape: read.shape });
  const { question } = read.wish;
  const { fallback } = asked;
  const measured = await measure(parts, call, { question, fallback, snapshot: snapshotOf(read) });
  const plain = toolResultInput(parts, call, { read, measured, attempt });
  const input = await withDerived(parts, call, { input: plain, counted: measured.counted });
  const result = assembleToolResult(input);
  await recordResult(parts, call, { read, attempt, result, measured, input });
  return toolOutcome(result, result.manifest);
}

/** The text that a call asks with is embedded before the snapshot: no model work inside a transaction (N3). */
async function questionVectorOf(parts: ManagerParts, call: Call, args: unknown): Promise<QuestionVector> {
  const query = typeof args === 'object' && args !== null && 'query' in args ? args.query : null;
  if (typeof query !== 'string' || query.trim() === '') return noQuestion;
  return questionVector(parts, call, query.toWellFormed());
}

type ReadCall =
  | ReadMemory
  | { readonly kind: 'clarify'; readonly args: JsonObject; readonly run: RunId | null }
  | { readonly kind: 'spent'; readonly run: Run; readonly shape: ResultShape | undefined };

const gatherers = {
  search_memory: gatherSearch,
  search_history: gatherHistory,
  lookup_entity: gatherLookup,
  expand: (reader: SnapshotReader, made: HandlerCall) => gatherExpand(reader, made),
  search: gatherLinks,
  fetch: gatherDocument,
};

/** Everything of a call that the database must say, in one snapshot; every refusal happens here. */
async function readCall(
  reader: SnapshotReader,
  parts: ManagerParts,
  asked: { readonly call: Call; readonly attempt: Attempt; readonly vector: Float32Array | null },
): Promise<ReadCall> {
  const { call, attempt, vector } = asked;
  const prefix = await readPrefix(reader, { scope: call.scope, log: parts.log });
  const { tool, handler } = toolForCall(prefix.usable, attempt.tool, call.scope);
  const args = wellFormed(validateArguments(tool, attempt.args), '');
  const continued = runningRun(await reader.currentRun());
  if (handler.name === 'clarify') return { kind: 'clarify', args, run: continued?.runId ?? null };
  const policies = policiesOf(prefix.guidelines);
  const run = continued ?? freshRun(implicitRun(toRunId(parts.newId('run')), policies.budget.budget));
  const shape = shapeOf(handler.name, parts, args);
  if (isSpent(run)) return { kind: 'spent', run, shape };
  const wish = await gatherers[handler.name](reader, {
    parts,
    call,
    args,
    questionVector: vector,
    policies,
    run: continued,
  });
  const transcript = continued === null ? { initial: null, calls: [] } : await reader.transcript(continued.runId);
  const loop = loopState(
    run,
    transcript,
    renderedTools(prefix.prefix.tools, reader.position.evaluationTime).map(chatTool),
  );
  return {
    kind: 'memory',
    args,
    handler: handler.name,
    shape,
    wish,
    run,
    isOpen: continued !== null,
    prefix,
    policies,
    position: reader.position,
    loop,
  };
}

function snapshotOf(read: ReadMemory): Pick<WindowSnapshot, 'gathered' | 'policies' | 'position'> {
  return { gathered: read.wish.gathered, policies: read.policies, position: read.position };
}

function toolResultInput(
  parts: ManagerParts,
  call: Call,
  made: { readonly read: ReadMemory; readonly measured: Measurements; readonly attempt: Attempt },
): ToolResultInput {
  const { read, measured, attempt } = made;
  return {
    policy: read.policies.budget,
    retrieval: read.policies.retrieval,
    scope: call.scope,
    question: read.wish.question,
    plan: read.wish.plan,
    candidates: measured.candidates,
    provenance: read.wish.gathered.provenance,
    versions: read.wish.gathered.versions,
    links: read.wish.gathered.links,
    evaluationTime: read.position.evaluationTime,
    prefix: read.prefix.prefix,
    record: {
      manifestId: parts.newId('manifest'),
      runId: read.run.runId,
      round: read.run.roundsUsed + 1,
      client: call.client,
      model: null,
      ...recordOf(measured, read.position),
    },
    countTokens: measured.countTokens,
    loop: read.loop,
    call: { id: callIdOf(read.run), tool: attempt.tool, arguments: canonicalJson(read.args) },
    ...read.wish.show,
    ...(read.shape === undefined ? {} : { shape: read.shape }),
  };
}
