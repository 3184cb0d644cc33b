// What is handed to an ingestion, and what became of each document.

import type { ChunkSettings } from '../ingest/chunk.ts';
import type { DocumentType } from '../ingest/document_type.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { AgentId } from '../model/ids.ts';

/** A file to ingest, or a stream in its place. */
export interface IngestSource {
  /** How it is called in the report. */
  readonly name: string;
  readonly type: DocumentType;
  readonly collection: string;
  /** Where the document comes from, the same on every machine; the lines of a JSONL file have their own. */
  readonly sourceUri: string;
  /** Null where it is not known before it was read. */
  readonly bytes: number | null;
  /** Read once, to its end, and before the next source is opened. Fails with the system's `code`. */
  open(): AsyncIterable<Uint8Array>;
}

/** A folder whose documents are retired when their file is gone. */
export interface IngestRoot {
  readonly collection: string;
  /** What the addresses of its documents begin with. */
  readonly prefix: string;
  /** Addresses of all files that are there, ingested or not. */
  readonly present: ReadonlySet<string>;
  /** What addresses begin with of which nothing is known: folders that cannot be read. */
  readonly unknown: readonly string[];
}

/** One ingestion. */
export interface Ingestion {
  readonly sources: readonly IngestSource[];
  /** Folders where what is gone is retired; none unless that was asked for. */
  readonly roots: readonly IngestRoot[];
  /** In place of the documents' own, or null. */
  readonly title: string | null;
  /** The agent whose the documents are; null: they are for all. */
  readonly agentId: AgentId | null;
  readonly chunks: ChunkSettings;
  /** Compares and cuts as ever and writes nothing. */
  readonly dryRun: boolean;
}

/** What became of a document, or would become of it in a dry run. */
export const ingestOutcomes = ['added', 'new_version', 'unchanged', 'retired', 'skipped', 'failed'] as const;

/** One of {@link ingestOutcomes}. */
export type IngestOutcome = (typeof ingestOutcomes)[number];

/** A document and what became of it. */
export interface IngestedDocument {
  /** The file; of what was retired, its address. */
  readonly name: string;
  /** Line of a JSONL file, from 1. */
  readonly line: number | null;
  readonly collection: string;
  readonly sourceUri: string;
  readonly outcome: IngestOutcome;
  /** The version that is active now; null where there is none, or in a dry run none yet. */
  readonly version: number | null;
  /** Passages written. */
  readonly passages: number;
  /** Of what was skipped or failed: why, to be read after "name: ". */
  readonly reason: string | null;
  readonly code: ErrorCode | null;
}

/** What an ingestion did. */
export interface IngestReport {
  /** In the order of the sources, what was retired last. */
  readonly documents: readonly IngestedDocument[];
  /** Why nothing was retired although it was asked for, or null. */
  readonly retiredNothing: string | null;
}
