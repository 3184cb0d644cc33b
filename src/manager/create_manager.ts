// Puts the manager together: each method is one room, and every failure leaves as a MemoryError.

import { guidelinesSection, personaSection } from '../assembly/render/sections.ts';
import { MemoryError } from '../model/errors.ts';
import { assembleWindow } from './assemble_window.ts';
import { callOptions } from './call_options.ts';
import { checkedAnswer, feedbackOn, recordFeedback } from './check_answer.ts';
import { diffWindows } from './diff_windows.ts';
import { guarded } from './guarded.ts';
import type { MemoryManager } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { compactThread } from './compact.ts';
import { compress } from './compress.ts';
import { readPrefix } from './read_window.ts';
import { recordMethods } from './records.ts';
import { recordTurn } from './record_turn.ts';
import { callTool } from './tool_call.ts';
import { listedTool } from './toolbox.ts';

/** The manager of end users; it never acts as operator. */
export function createManager(parts: ManagerParts): MemoryManager {
  const reading = { evaluationTime: null };
  return {
    ...recordMethods(parts),
    assembleWindow: (call, question) => guarded(parts, call, () => assembleWindow(parts, call, question)),
    callTool: (call, tool, args, ask) => guarded(parts, call, () => callTool(parts, call, { tool, args, ask })),
    recordTurn: (call, turn) => guarded(parts, call, () => recordTurn(parts, call, turn)),
    listTools: (call) =>
      guarded(parts, call, () =>
        parts.store.read(call.scope, { ...callOptions(call), ...reading }, async (reader) => {
          const { usable } = await readPrefix(reader, { scope: call.scope, log: parts.log });
          return usable.map(listedTool);
        }),
      ),
    guidelines: (call) =>
      guarded(parts, call, () =>
        parts.store.read(call.scope, { ...callOptions(call), ...reading }, async (reader) =>
          guidelinesSection(await reader.guidelines(), reader.position.evaluationTime),
        ),
      ),
    persona: (call) =>
      guarded(parts, call, () =>
        parts.store.read(call.scope, { ...callOptions(call), ...reading }, async (reader) =>
          personaSection(await reader.personas(), reader.position.evaluationTime),
        ),
      ),
    manifest: (call, manifestId) =>
      guarded(parts, call, async () => {
        const found = await parts.store.read(call.scope, { ...callOptions(call), ...reading }, (reader) =>
          reader.manifest(manifestId),
        );
        if (found === null)
          throw new MemoryError('not_found', 'There is no such manifest.', { manifest_id: manifestId });
        return found;
      }),
    run: (call, runId) =>
      guarded(parts, call, async () => {
        const found = await parts.store.read(call.scope, { ...callOptions(call), ...reading }, (reader) =>
          reader.manifestsOfRun(runId),
        );
        if (found.length === 0) throw new MemoryError('not_found', 'There is no such run.', { run_id: runId });
        return found;
      }),
    recentManifests: (call, limit) =>
      guarded(parts, call, () =>
        parts.store.read(call.scope, { ...callOptions(call), ...reading }, (reader) => reader.recentManifests(limit)),
      ),
    checkAnswer: (call, asked) => guarded(parts, call, () => checkedAnswer(parts, call, asked)),
    recordFeedback: (call, given) => guarded(parts, call, () => recordFeedback(parts, call, given)),
    feedbackOn: (call, manifestId) => guarded(parts, call, () => feedbackOn(parts, call, manifestId)),
    diff: (call, asked) => guarded(parts, call, () => diffWindows(parts, call, asked)),
    compactThread: (call) => guarded(parts, call, () => compactThread(parts, call)),
    compress: (call, wanted) => guarded(parts, call, () => compress(parts, call, wanted)),
    watchTools: (tenant, listener) =>
      parts.store.watchToolbox((changed) => {
        if (changed === null || changed === tenant) listener();
      }),
  };
}
