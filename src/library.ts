// The library: the Memory Manager for hosts in the same process, with the methods and types of the interface.

import { randomBytes } from 'node:crypto';
import { launchScope } from './auth/make_scope.ts';
import type { LaunchPrincipal } from './auth/make_scope.ts';
import { compose } from './compose.ts';
import { readConfig } from './config.ts';
import type { Config } from './config.ts';
import { inMemory } from './data_folder.ts';
import { createLog } from './log.ts';
import type { Call, MemoryManager } from './manager/manager.ts';
import { yieldedDirectory } from './remote_command.ts';

export type { Config } from './config.ts';
export type { CheckReport } from './check/report.ts';
export type {
  AnswerCheck,
  Asked,
  AskUser,
  Call,
  ListedTool,
  MemoryManager,
  ToolOutcome,
  TurnToRecord,
  WindowDifference,
  WindowQuestion,
  WindowResult,
} from './manager/manager.ts';
export type { Affected, Trace } from './model/consequences.ts';
export type { Manifest } from './model/manifest.ts';
export type { Replayed } from './model/replay.ts';
export type { Scope } from './model/scope.ts';
export type { ChatMessage, ChatRequest, ChatTool } from './model/window.ts';
export { readConfig } from './config.ts';
export { MemoryError } from './model/errors.ts';
export { instant } from './model/time.ts';

/** Bounds of one call and who makes it; what is left out is the configuration's. */
export interface CallSettings extends Partial<LaunchPrincipal> {
  readonly client?: Call['client'];
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

/** A manager of this process. It never acts as operator: `init`, `apply` and `seed` are commands. */
export interface LibraryManager extends MemoryManager {
  /** A call to hand to the methods: whose it is, and a new request id. Throws `invalid_argument` for a wrong id. */
  call(settings?: CallSettings): Call;
  /** Closes the store; after it no method works. */
  close(): Promise<void>;
}

/**
 * Opens the store of a configuration, for this process alone, and gives its manager. What is left out has the default of its variable; the
 * environment is read only if the host passes `readConfig(process.env)`. Throws `invalid_configuration`,
 * `store_locked`, `store_unavailable`, `schema_newer` and `embedder_mismatch`; on a server, which it never migrates, also
 * `privileged_account` and `schema_missing`.
 */
export async function createMemoryManager(config: Partial<Config> = {}): Promise<LibraryManager> {
  const settings: Config = { ...readConfig({}), ...config };
  const log = createLog({ level: settings.logLevel, secrets: settings.secrets });
  if (settings.dataDirectory !== inMemory) await yieldedDirectory(settings.dataDirectory);
  const parts = compose(settings, log);
  const manager = await parts.manager();
  return {
    ...manager,
    call: (given = {}) => callOf(settings, given),
    close: () => parts.close(),
  };
}

function callOf(config: Config, given: CallSettings): Call {
  const { client = null, signal, deadlineMs } = given;
  return {
    scope: launchScope({ ...config, ...given }),
    requestId: `req_${randomBytes(8).toString('hex')}`,
    client,
    ...(signal === undefined ? {} : { signal }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  };
}
