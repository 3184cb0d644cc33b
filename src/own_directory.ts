// The owner's composition: the directory is taken, then the socket opened, then the program is run for whoever comes.

import { closeSync, writeSync } from 'node:fs';
import { holdDataDirectory, share } from './compose.ts';
import type { Shared } from './compose.ts';
import type { Config } from './config.ts';
import { inMemory } from './data_folder.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';
import { MemoryError } from './model/errors.ts';
import { removeAddress } from './owner/address.ts';
import { reportDescriptor } from './owner/launch.ts';
import type { StartOutcome } from './owner/launch.ts';
import { logPath, openLogFile } from './owner/log_file.ts';
import { serveClients } from './owner/serve.ts';
import type { Session } from './owner/session.ts';

/** What an owner is started with. */
export interface Owning {
  readonly config: Config;
  readonly version: string;
  /** Started by another process, which waits for a report; else by a person, who sees the log. */
  readonly background: boolean;
  readonly signal: AbortSignal;
  /** Runs the program for a client on the shared store; never rejects. */
  run(session: Session, shared: Shared, writeLog: ((line: string) => void) | null): Promise<number>;
}

/** What a client's run sees in the owner; null in a process of its own. */
export interface SharedRun {
  readonly store: Shared;
  /** The owner's log, which gets what the client sees of its own. */
  readonly writeLog: ((line: string) => void) | null;
}

/** Holds the directory until nobody is left. Throws `store_locked`, `store_unavailable`, `invalid_configuration`. */
export async function ownDirectory(owning: Owning): Promise<void> {
  const report = owning.background ? reporter() : () => {};
  try {
    await serve(owning, report);
  } catch (error) {
    report(failureOf(error));
    throw error;
  }
}

async function serve(owning: Owning, report: (failure: StartOutcome) => void): Promise<void> {
  const { config, background, version, signal } = owning;
  const { dataDirectory: directory } = config;
  if (directory === inMemory) {
    throw new MemoryError('invalid_configuration', 'CONTEXT_DATA_DIR is :memory:, which nobody can share.', {
      variable: 'CONTEXT_DATA_DIR',
    });
  }
  const held = await holdDataDirectory(config);
  const writeLog = background ? openLogFile(logPath(directory)) : null;
  const log = ownLog(config, writeLog);
  const shared = share(config, log, held);
  try {
    await serveClients({
      directory,
      version,
      logFile: background ? logPath(directory) : null,
      idleSeconds: config.ownerIdleSeconds,
      signal,
      onListening: () => report(null),
      run: async (session) => owning.run(session, shared, writeLog),
    });
  } finally {
    await shared.close().catch((error: unknown) => log.error({ error }, 'the store did not close'));
    removeAddress(directory);
    held.release();
  }
}

function ownLog({ logLevel, secrets }: Config, write: ((line: string) => void) | null): Log {
  return createLog({ level: logLevel, secrets, ...(write === null ? {} : { write }) });
}

function failureOf(error: unknown): StartOutcome {
  if (error instanceof MemoryError) return { code: error.code, message: error.message, data: error.data };
  return { code: 'internal', message: 'Something failed that should not have; owner.log has the detail.', data: {} };
}

/** Says once how the start went; whoever waited for it may be gone. */
function reporter(): (failure: StartOutcome) => void {
  let said = false;
  return (failure) => {
    if (said) return;
    said = true;
    try {
      writeSync(reportDescriptor, `${JSON.stringify({ failure })}\n`);
      closeSync(reportDescriptor);
    } catch {
      // The process that started this one has ended; others find the socket.
    }
  };
}
