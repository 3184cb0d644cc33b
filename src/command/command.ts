// What a command is, and what it is given: it reaches the rest of the program through its context alone.

import type { Readable, Writable } from 'node:stream';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { MemoryManager, OperatorManager } from '../manager/manager.ts';
import type { ChatRequest } from '../model/window.ts';
import type { FileListing } from '../owner/listed_files.ts';
import type { NewFile } from '../owner/new_file.ts';
import type { OwnerStatus } from '../owner/protocol.ts';
import type { ReadBackup } from '../store/backup_file.ts';
import type { EmbedderIdentity, SchemaState, Store } from '../store/store.ts';
import type { Arguments, Options } from './arguments.ts';
import type { Check } from './doctor_finding.ts';
import type { ExitCode } from './exit_codes.ts';
import type { Print } from './print.ts';

/** What measures text in this process. */
export interface Models {
  readonly embedder: string;
  readonly dimensions: number;
  readonly reranker: string;
  readonly encoding: string;
}

/** How one small question to a model went. */
export type ModelTrial =
  | { readonly works: true; readonly milliseconds: number }
  | { readonly works: false; readonly error: unknown };

/** As whom the store is used: on a server each has a login of its own, in a folder one process does it all. */
export type StorePurpose = 'serve' | 'operate' | 'migrate';

/** A login on a server, as the server sees it. */
export interface ServerAccount {
  /** What the server calls itself. */
  readonly product: string;
  readonly login: string;
  readonly database: string;
  /** The server's version, in its own words. */
  readonly version: string;
}

/** The parts of a running program, each made when it is first asked for. Made and closed by the composition root. */
export interface Parts {
  /** For serving unless said otherwise. */
  store(purpose?: StorePurpose): Promise<Store>;
  /** Who a purpose's login on a server is. Throws as opening its store does. */
  account(purpose: StorePurpose): Promise<ServerAccount>;
  /** What a server needs or may have beside its schema, by its login for migrations. Throws as opening its store does. */
  prerequisites(): Promise<readonly Check[]>;
  manager(): Promise<MemoryManager>;
  operator(): Promise<OperatorManager>;
  /** Loads what measures text, and names it. */
  models(): Promise<Models>;
  /** Asks embedder and reranker something small, anew each time. Rejects only where they cannot be made. */
  tryModels(signal: AbortSignal): Promise<{ readonly embedder: ModelTrial; readonly reranker: ModelTrial }>;
  /** Asks the provider to count a request; null where the configuration names none. */
  readonly providerCount: ((request: ChatRequest) => Promise<number | null>) | null;
  /** Ends what was opened; after it nothing can be asked for. Safe to call twice. */
  close(): Promise<void>;
}

/** What is known of a data directory without opening it. */
export interface DirectoryState {
  /** False: there is no store in it yet. */
  readonly exists: boolean;
  /** Who holds it, in words for a person; null when nobody does. */
  readonly holder: string | null;
  /** True when the holder was seen to be alive. */
  readonly alive: boolean;
}

/** What a restore made. */
export interface RestoredDirectory {
  readonly state: SchemaState;
  /** Rows by table; null where there is no schema yet. */
  readonly rows: Readonly<Record<string, number>> | null;
  /** Data directory to which the former memory was moved; null where there was none. */
  readonly movedTo: string | null;
  /** What this program is set to: a memory of another one opens only after it is embedded anew. */
  readonly programEmbedder: EmbedderIdentity;
}

/** How a command wants the store opened. */
export interface Opening {
  /** In place of the configured directory: a store that ends with the process. */
  readonly inMemory?: boolean;
  /** False: the schema is left as it is found. On a server it always is. */
  readonly migrate?: boolean;
  /** True: it opens also where the vectors are by another embedder, and for nothing but to change that. */
  readonly anyEmbedder?: boolean;
}

/** What a command is given. */
export interface Context {
  readonly arguments: Arguments;
  readonly print: Print;
  readonly json: boolean;
  readonly config: Config;
  readonly log: Log;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names this run of the command in the log and in an error. */
  readonly requestId: string;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly version: string;
  /** How this program was started, as a person would type it. */
  readonly invocation: string;
  readonly stdin: Input;
  readonly stdout: Writable;
  /** Reads a file that the person named, as the person's own shell would find it. Rejects with the system's `code`. */
  readFile(path: string): Promise<string>;
  /** Lists the files under a path in the same way. Rejects with the system's `code`. */
  listFiles(path: string): Promise<FileListing>;
  /**
   * Opens a file in the same way, to be read as it comes and instead of stdin; to its end before the next one is opened.
   * Fails with the system's `code`.
   */
  openFile(path: string): Readable;
  /** Begins a file in the same way, which appears whole or not at all. Rejects with the system's `code`. */
  createFile(path: string, manner: { readonly replace: boolean }): Promise<NewFile>;
  /** What hosts are told about memory (design T10). */
  instructions(): Promise<string>;
  newRequestId(): string;
  open(opening?: Opening): Parts;
  directoryState(): Promise<DirectoryState>;
  /** The process that holds the data directory for others, if this runs in it; else null. */
  readonly ownerPid: number | null;
  /** Lets an owner that serves nobody end, and waits for that: for whoever wants the directory alone. */
  whenFree(): Promise<void>;
  /** Fills the data directory; `replace`: a memory that is there is moved aside. Throws what `restoreDirectory` throws. */
  restore(backup: ReadBackup, manner: { readonly replace: boolean }): Promise<RestoredDirectory>;
  /** Removes the lock of the data directory, whoever wrote it. */
  unlock(): Promise<void>;
  /** Holds the data directory and serves others on it, until nobody is left. */
  own(manner: { readonly background: boolean }): Promise<void>;
  /** What the owner of the data directory says of itself; null where there is none. */
  ownerStatus(): Promise<OwnerStatus | null>;
  /** Ends the owner of the data directory and waits for that; gives the process that it was, or null. */
  stopOwner(): Promise<number | null>;
}

/** What a command reads. */
export type Input = Readable & { readonly isTTY?: boolean };

/** One command of the command line. */
export interface Command {
  /** Arguments as usage shows them, e.g. `QUESTION`. */
  readonly synopsis: string;
  /** What --help says below the usage, a paragraph each. */
  readonly details: readonly string[];
  readonly options: Options;
  /** How many arguments that are no options it takes. */
  readonly positionals: { readonly least: number; readonly most: number };
  /** True: the command sees to SIGINT and SIGTERM itself; else they end it. */
  readonly endsItself?: true;
  /** What is logged where CONTEXT_LOG_LEVEL says nothing; else warnings and errors. */
  readonly logLevel?: 'info';
  /** How long it may take to end after an interruption, where it runs in another process; else 5 seconds. */
  readonly interruptionMs?: number;
  /** It works on the data directory, so it runs in its owner: in one that is started for it, or only in one that runs. */
  readonly through?: 'owner' | 'running owner';
  /** Throws MemoryError for what fails and UsageError for a wrong command line. */
  run(context: Context): Promise<ExitCode>;
}
