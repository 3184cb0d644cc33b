// One window from question to stored manifest: read, measure, compress, assemble, record (design N3, M1, L1).

import { assemble } from '../assembly/assemble.ts';
import { issuedIds } from '../assembly/issued_ids.ts';
import type { AssembledWindow, AssemblyInput, AssemblyRecord } from '../assembly/assembly_input.ts';
import { MemoryError } from '../model/errors.ts';
import { runId } from '../model/ids.ts';
import { callOptions } from './call_options.ts';
import type { Call, WindowQuestion, WindowResult } from './manager.ts';
import { measure, type Measurements } from './measure.ts';
import type { ManagerParts } from './parts.ts';
import { questionVector } from './question_vector.ts';
import { readWindow, type WindowSnapshot } from './read_window.ts';
import { newEvent, recordManifest } from './record_event.ts';
import { windowReplay } from './replay_record.ts';
import { windowRun } from './loop.ts';
import { withDerived } from './derive.ts';

/** A question longer than this is no question; it would only be refused later by the budget. */
const maxQuestionChars = 100_000;

/** Throws `invalid_argument` for a question that is empty or too long. */
export function checkQuestion(question: string): string {
  const wellFormed = question.toWellFormed();
  if (wellFormed.trim() === '')
    throw new MemoryError('invalid_argument', 'The question is empty.', { field: 'question' });
  if (wellFormed.length > maxQuestionChars) {
    throw new MemoryError('invalid_argument', `The question is longer than ${maxQuestionChars} characters.`, {
      field: 'question',
    });
  }
  if (wellFormed.includes('\u0000')) {
    throw new MemoryError('text_refused', 'The question holds the character U+0000.', { field: 'question' });
  }
  return wellFormed;
}

/** A window whose memory was erased between its reading and its recording is made again from what is left. */
const maxAttempts = 3;

/**
 * Assembles a window, opens its run, and stores its manifest and request before anything is returned. Throws
 * `version_conflict` when its memory was erased again and again meanwhile.
 */
export async function assembleWindow(parts: ManagerParts, call: Call, asked: WindowQuestion): Promise<WindowResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptWindow(parts, call, asked);
    } catch (error) {
      const raced = error instanceof MemoryError && error.code === 'version_conflict';
      if (!raced || attempt >= maxAttempts) throw error;
    }
  }
}

async function attemptWindow(parts: ManagerParts, call: Call, asked: WindowQuestion): Promise<WindowResult> {
  const started = parts.clockMs();
  const { input, snapshot, measured } = await windowInput(parts, call, asked);
  const window = await counted(parts, input);
  const milliseconds = parts.clockMs() - started;
  const replay = windowReplay(input, snapshot.gathered.sought);
  await recordWindow(parts, call, { window, snapshot, measured: { ...measured.record, replay }, milliseconds });
  call.onProgress?.(1, 'window stored');
  const { request, manifest, seated } = window;
  return { runId: runId(manifest.run_id), request, manifest, seated };
}

/** Everything that a window is a function of, read and measured; derived rows are stored, nothing is assembled yet. */
export async function windowInput(
  parts: ManagerParts,
  call: Call,
  asked: WindowQuestion,
): Promise<{ readonly input: AssemblyInput; readonly snapshot: WindowSnapshot; readonly measured: Measurements }> {
  const question = checkQuestion(asked.question);
  const { vector, fallback } = await questionVector(parts, call, question);
  const snapshot = await parts.store.read(
    call.scope,
    { ...callOptions(call), evaluationTime: asked.at },
    async (reader) =>
      readWindow(reader, { scope: call.scope, question, questionVector: vector, intent: asked.intent, log: parts.log }),
  );
  call.onProgress?.(0.4, 'memory read');
  const measured = await measure(parts, call, { question, fallback, snapshot });
  call.onProgress?.(0.7, 'candidates measured');
  const { gathered, policies, position, plan, prefix } = snapshot;
  const input: AssemblyInput = {
    policy: policies.budget,
    retrieval: policies.retrieval,
    scope: call.scope,
    question,
    plan,
    candidates: measured.candidates,
    provenance: gathered.provenance,
    versions: gathered.versions,
    links: gathered.links,
    evaluationTime: position.evaluationTime,
    named: [],
    prefix,
    record: {
      manifestId: parts.newId('manifest'),
      runId: runId(parts.newId('run')),
      round: 0,
      client: call.client,
      model: asked.model,
      ...recordOf(measured, position),
    },
    countTokens: measured.countTokens,
  };
  return { input: await withDerived(parts, call, { input, counted: measured.counted }), snapshot, measured };
}

/** What manifests record of the measuring and of the snapshot's place. */
export function recordOf(
  measured: Measurements,
  position: WindowSnapshot['position'],
): Omit<AssemblyRecord, 'manifestId' | 'runId' | 'round' | 'client' | 'model'> {
  const { embedder, reranker, fallbacks } = measured;
  const { mode, incarnation, scn } = position;
  return { embedder, reranker, fallbacks, mode, incarnation, scn, providerCount: null };
}

/** Asks the provider for its own count where that is configured; the figure is recorded, it decides nothing (B6). */
async function counted(parts: ManagerParts, input: AssemblyInput): Promise<AssembledWindow> {
  const window = assemble(input);
  if (parts.providerCount === null) return window;
  const providerCount = await parts.providerCount(window.request);
  return {
    ...window,
    manifest: { ...window.manifest, totals: { ...window.manifest.totals, provider_count: providerCount } },
  };
}

async function recordWindow(
  parts: ManagerParts,
  call: Call,
  made: {
    readonly window: AssembledWindow;
    readonly snapshot: WindowSnapshot;
    readonly measured: object;
    readonly milliseconds: number;
  },
): Promise<void> {
  const { manifest, request, seated } = made.window;
  const run = runId(manifest.run_id);
  const { budget } = made.snapshot.policies.budget;
  await parts.store.write(call.scope, callOptions(call), async (writer) => {
    await writer.openRun(windowRun(run, budget));
    const retrievalEventId = parts.newId('event');
    const retrieval = newEvent(
      'retrieval',
      { plan: made.snapshot.plan, ...made.snapshot.retrieval, ...made.measured, manifest_id: manifest.manifest_id },
      { eventId: retrievalEventId, runId: run, role: 'system', latencyMs: Math.round(made.milliseconds) },
    );
    await recordManifest(writer, {
      manifest,
      request,
      events: [retrieval],
      derived: [retrievalEventId],
      requestEventId: parts.newId('event'),
      runId: run,
      consulted: made.snapshot.consulted,
    });
    await writer.issue(run, issuedIds(seated));
  });
}
