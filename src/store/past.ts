// The port for what was recorded and for reads of the past (design N4, N5): every engine offers exactly this.

import type { Compression } from '../model/candidate.ts';
import type { CitationId, RowId, RunId, Scn } from '../model/ids.ts';
import type { Manifest, RefJson } from '../model/manifest.ts';
import type {
  EventType,
  Guideline,
  KnownVersion,
  Memory,
  MemoryLink,
  MemoryType,
  Persona,
  ProvenanceEdge,
  Ref,
  Tool,
} from '../model/memory.ts';
import type { ReplayRecord } from '../model/replay.ts';
import type { RowScope, Scope } from '../model/scope.ts';
import type { Instant } from '../model/time.ts';
import type { ChatRequest } from '../model/window.ts';

/** Where a snapshot stands (design N3, N5). `evaluationTime` is the caller's, else the database's clock. */
export interface Position {
  readonly mode: string;
  readonly incarnation: string;
  readonly scn: Scn;
  readonly evaluationTime: Instant;
}

/** What a run exchanged so far: the initial request (null in an implicit run) and each recorded call with its result. */
export interface Transcript {
  readonly initial: ChatRequest | null;
  readonly calls: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly arguments: string;
    readonly result: string;
  }[];
}

/** A principal in one thread: whose window it was. */
export type Owner = Pick<Scope, 'tenantId' | 'userId' | 'agentId' | 'threadId'>;

/** A manifest with what stands beside it. */
export interface ManifestRecord {
  readonly kind: 'stored';
  readonly manifest: Manifest;
  readonly owner: Owner;
  /** Null: its event is gone. */
  readonly request: ChatRequest | null;
  /** Null: nothing was recorded to decide it again, or what was recorded is gone. */
  readonly replay: ReplayRecord | null;
  readonly createdAt: Instant;
}

/**
 * The rows that a snapshot saw, as its owner's window read them, under the present row security. Each read fails as
 * `historyGone` says where the engine cannot reach the snapshot any more; the present may still be read then.
 */
export interface PastReader {
  /** Rows current at the position's evaluation time; so are the next two. Lists are ordered by id. */
  guidelines(): Promise<readonly Guideline[]>;
  personas(): Promise<readonly Persona[]>;
  tools(): Promise<readonly Tool[]>;
  /** Any lifecycle state; what the snapshot did not see, or the owner could not, is absent. */
  memories(refs: readonly Ref[]): Promise<readonly Memory[]>;
  /** derived_from and mentions edges from these refs, followed to any depth. */
  provenance(refs: readonly Ref[]): Promise<readonly ProvenanceEdge[]>;
  versions(refs: readonly Ref[]): Promise<readonly KnownVersion[]>;
  links(refs: readonly Ref[]): Promise<readonly MemoryLink[]>;
  /**
   * Every text that these compressions ever had and that is still kept, the present one of each first. A window may be
   * made with a compression that was written after its snapshot, so the position decides nothing here.
   */
  compressions(ids: readonly RowId[]): Promise<readonly Compression[]>;
  /** False: what the snapshot saw may have been pruned from the history. */
  isKept(): Promise<boolean>;
}

/** A window or tool result that used a memory, by the memory's entry in its manifest. */
export interface RecordedUse {
  readonly manifestId: RowId;
  readonly kind: 'window' | 'tool_result';
  readonly owner: RowScope;
  readonly runId: RunId | null;
  readonly createdAt: Instant;
  /** The version that was asked about, and the memory through which it came: itself, or what was derived from it. */
  readonly root: Ref;
  readonly via: Ref;
  readonly slice: string;
  readonly status: string;
  /** True: `via` stood there as the correction that a note carried, not as a memory of its own. */
  readonly asCorrection: boolean;
  /** Versions that notes on the memory spoke of. */
  readonly notedSources: readonly Ref[];
}

/** An answer: a model's turn that cites a memory (`cites`), or that was given in a run (`cites` null). */
export interface RecordedAnswer {
  readonly eventId: RowId;
  readonly owner: RowScope;
  readonly runId: RunId | null;
  readonly createdAt: Instant;
  readonly cites: Ref | null;
}

/** What a citation id stood for, and where it was issued. */
export interface RecordedCitation {
  readonly ref: Ref;
  readonly owner: Owner;
}

/** An event or document that memory came from; neither's text. */
export interface RecordedSource {
  readonly ref: Ref;
  /** Of an event; null for a document. */
  readonly eventType: EventType | null;
  readonly title: string | null;
  readonly uri: string | null;
  readonly createdAt: Instant;
}

/**
 * Reads of what was recorded, all in one snapshot of now: an end user's own, or as operator the whole tenant's. Rows
 * that the context cannot see do not exist here. Lists are bounded, and ordered newest first unless said otherwise.
 */
export interface RecordReader {
  /** Where the present snapshot stands. */
  readonly position: Position;
  /** `erased`: a tombstone stands in its place. Null: there is none, or it is another's. */
  manifestRecord(manifestId: RowId): Promise<ManifestRecord | { readonly kind: 'erased' } | null>;
  /** Ids of manifests since a time (null: of any time). */
  manifestIds(asked: { readonly since: Instant | null; readonly limit: number }): Promise<readonly RowId[]>;
  transcript(runId: RunId, owner: Owner): Promise<Transcript>;
  /** Lifecycle of any refs as it is now, ordered by ref; what the context may not see is absent. */
  versions(refs: readonly Ref[]): Promise<readonly KnownVersion[]>;
  /** Which of a manifest's refs no living row of the tenant has any more, whoever could see it. */
  goneRefs(manifestId: RowId): Promise<readonly RefJson[]>;
  /** Memories as they are now, for the owner of a citation; as operator whatever the tenant has. */
  memories(refs: readonly Ref[], owner: Owner): Promise<readonly Memory[]>;
  /** derived_from and mentions edges from these refs, followed to any depth, as they are now. */
  provenance(refs: readonly Ref[]): Promise<readonly ProvenanceEdge[]>;
  /** What a citation id was issued for; a collision gives several. */
  citations(id: CitationId): Promise<readonly RecordedCitation[]>;
  /** A row (of this version, null: whatever it has) and then the versions that it replaced, however far back. */
  replacedBy(row: {
    readonly type: MemoryType;
    readonly id: RowId;
    readonly version: number | null;
  }): Promise<readonly Ref[]>;
  /** Uses of these refs and of all that was derived from them. */
  uses(refs: readonly Ref[]): Promise<readonly RecordedUse[]>;
  /** Answers that cite one of the refs, and those given in one of the runs. */
  answers(refs: readonly Ref[], runs: readonly RunId[]): Promise<readonly RecordedAnswer[]>;
  /** Events by id, and the documents of chunks by the chunk's id. */
  sources(refs: readonly Ref[]): Promise<readonly RecordedSource[]>;
  /**
   * The past at a recorded position of this database; the caller has compared the incarnations. An engine with
   * flashback (Oracle) answers each read AS OF SCN, and says in `isKept` whether its retention still reaches there; one
   * with history tables unites what stands with what was retired since.
   */
  asOf(position: Position, owner: Owner): PastReader;
}
