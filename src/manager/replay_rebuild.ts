// The inputs of a past window again (design R1): rows as of its snapshot, scores and compressions as recorded, and the
// same pure assembly.

import { assemble } from '../assembly/assemble.ts';
import type { AssemblyInput, ToolResultInput } from '../assembly/assembly_input.ts';
import { assembleToolResult } from '../assembly/tool_result.ts';
import { chatTool, renderedTools } from '../assembly/render/request.ts';
import type { Candidate, Compression } from '../model/candidate.ts';
import { rowId, runId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';
import { refKey, type Guideline, type Memory, type Persona, type Tool } from '../model/memory.ts';
import type { MeasuredRow, ReplayRecord } from '../model/replay.ts';
import type { Scope } from '../model/scope.ts';
import { instant } from '../model/time.ts';
import type { ChatRequest, CountTokens } from '../model/window.ts';
import type { ManifestRecord, Owner, PastReader } from '../store/past.ts';
import { sourcesBeyond } from './gather.ts';
import { requestSoFar } from './loop.ts';
import type { ManagerLog } from './parts.ts';
import { policiesOf } from './policies.ts';
import { compressionTextHash } from './replay_record.ts';
import type { Round } from './replay_round.ts';
import { usableTools } from './toolbox.ts';

/** What was read of the past for one manifest. */
export interface PastRows {
  readonly guidelines: readonly Guideline[];
  readonly personas: readonly Persona[];
  /** Only those that the window's own caller could list. */
  readonly tools: readonly Tool[];
  readonly memories: ReadonlyMap<string, Memory>;
  readonly relations: Pick<AssemblyInput, 'provenance' | 'versions' | 'links'>;
  readonly compressions: readonly Compression[];
  /** True: a compression that a candidate came with is not kept any more. */
  readonly lacksCompression: boolean;
  /** False: what the snapshot saw may have been pruned. */
  readonly isKept: boolean;
}

/** Reads what the window was made of, as it was. */
export async function readPastRows(
  past: PastReader,
  made: { readonly record: ReplayRecord; readonly owner: Owner; readonly manifest: Manifest; readonly log: ManagerLog },
): Promise<PastRows> {
  const { record, manifest } = made;
  const memories = await past.memories(record.rows.map(({ ref }) => ref));
  const found = new Map(memories.map((memory) => [refKey(memory.ref), memory]));
  const sought = record.rows.slice(0, record.sought).map(({ ref }) => ref);
  const provenance = await past.provenance(sought);
  const versions = await past.versions(sourcesBeyond(provenance, new Set(sought.map(refKey))));
  const wanted = record.rows.flatMap(({ compression }) => (compression === null ? [] : [compression]));
  const compressions = await past.compressions([...new Set(wanted.map(({ id }) => id))]);
  const at = instant(manifest.evaluation_time);
  const options = { scope: callerOf(made.owner, record), at, log: made.log };
  return {
    guidelines: await past.guidelines(),
    personas: await past.personas(),
    tools: usableTools(await past.tools(), options).map(({ tool }) => tool),
    memories: found,
    relations: { provenance, versions, links: await past.links(sought) },
    compressions,
    lacksCompression: wanted.some((one) => keptCompression(compressions, one) === null),
    isKept: await past.isKept(),
  };
}

/** The caller of that time: roles are recorded, since they decided which tools there were. */
function callerOf(owner: Owner, { roles, oauthScopes }: ReplayRecord): Scope {
  return { ...owner, roles, oauthScopes };
}

/** The text that the window had, not one that was written under the same id since. */
function keptCompression(
  compressions: readonly Compression[],
  wanted: NonNullable<MeasuredRow['compression']>,
): Compression | null {
  return compressions.find(({ id, text }) => id === wanted.id && compressionTextHash(text) === wanted.textHash) ?? null;
}

/** What the assembly makes of the past; throws what the assembly and the policies throw. */
export function rebuild(
  stored: ManifestRecord,
  record: ReplayRecord,
  read: { readonly rows: PastRows; readonly round: Round; readonly countTokens: CountTokens },
): { readonly manifest: Manifest; readonly request: ChatRequest } {
  const { rows, round, countTokens } = read;
  const input = inputOf(stored, record, { rows, question: round.question, countTokens });
  if (round.kind === 'window') return assemble(input);
  const { shown, call, notes, transcript } = round;
  const tools = renderedTools(rows.tools, input.evaluationTime).map(chatTool);
  const { handler: _, loop, shape, ...show } = shown;
  const result: ToolResultInput = {
    ...input,
    ...show,
    ...(shape === null ? {} : { shape }),
    notes,
    call,
    loop: { ...loop, request: requestSoFar(transcript, tools) },
  };
  return assembleToolResult(result);
}

function inputOf(
  { manifest, owner }: ManifestRecord,
  record: ReplayRecord,
  read: { readonly rows: PastRows; readonly question: string; readonly countTokens: CountTokens },
): AssemblyInput {
  const { rows, question, countTokens } = read;
  const policies = policiesOf(rows.guidelines);
  return {
    policy: policies.budget,
    retrieval: policies.retrieval,
    scope: callerOf(owner, record),
    question,
    plan: record.plan,
    candidates: record.rows.flatMap((row) => candidateOf(row, rows)),
    ...rows.relations,
    evaluationTime: instant(manifest.evaluation_time),
    named: [],
    prefix: { guidelines: rows.guidelines, personas: rows.personas, tools: rows.tools },
    record: {
      manifestId: rowId(manifest.manifest_id),
      runId: runId(manifest.run_id),
      round: manifest.round,
      client: manifest.client,
      model: manifest.model,
      embedder: manifest.embedder,
      reranker: manifest.reranker,
      fallbacks: manifest.fallbacks,
      mode: manifest.mode,
      incarnation: manifest.incarnation,
      scn: manifest.scn,
      providerCount: manifest.totals.provider_count,
    },
    countTokens,
  };
}

/** A candidate whose row is gone is left out: what that changes is found by comparing. */
function candidateOf(row: MeasuredRow, rows: PastRows): readonly Candidate[] {
  const memory = rows.memories.get(refKey(row.ref));
  if (memory === undefined) return [];
  const { slice, measured, origin, linkedFrom } = row;
  const compression = row.compression === null ? null : keptCompression(rows.compressions, row.compression);
  return [{ memory, slice, measured, cachedTokens: {}, compression, origin, linkedFrom }];
}
