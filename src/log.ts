// The log: structured lines on stderr for operators, never secrets, never memory text; stdout belongs to the protocol.

import { createRequire } from 'node:module';
import type * as Pino from 'pino';

/** How much is written; `silent` writes nothing. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** One of {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

/** Details of a line. Name the request with `requestId`, a failure with `error`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What the parts write to. A message is one sentence; what varies goes into the detail. */
export interface Log {
  debug(detail: LogFields, message: string): void;
  info(detail: LogFields, message: string): void;
  warn(detail: LogFields, message: string): void;
  error(detail: LogFields, message: string): void;
}

/** What a log needs to know. `secrets` are values that are blanked out wherever they would appear. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly secrets?: readonly string[];
  /** Where lines go; stderr when it is left out. */
  readonly write?: (line: string) => void;
}

type Level = Exclude<LogLevel, 'silent'>;
type Sink = Readonly<Record<Level, (fields: object, message: string) => void>>;

const hidden = '[hidden]';
const deepest = 6;
const longestText = 2000;

/** Names of fields that hold a credential, or text of a person: never written, whatever they hold. */
const hiddenName =
  /^(?:.*(?:secret|password|passwd|api_?key|authorization|cookie|credential)s?|.*(?:access|refresh|bearer|id|auth)_?token|token|question|answer|content|text|payload|arguments|args|messages|query|parameters|params)$/i;

/** A log whose writer (pino) is loaded with the first line that is really written. */
export function createLog(options: LogOptions): Log {
  const threshold = logLevels.indexOf(options.level);
  const secrets = (options.secrets ?? []).filter((secret) => secret.length > 0);
  let sink: Sink | undefined;
  const at =
    (level: Level) =>
    (detail: LogFields, message: string): void => {
      if (logLevels.indexOf(level) < threshold) return;
      sink ??= openSink(options);
      sink[level](shownFields(Object.entries(detail), secrets, 0), withoutSecrets(message, secrets));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function openSink(options: LogOptions): Sink {
  // Loaded synchronously, so that a line written just before the process ends is not lost.
  const require = createRequire(import.meta.url);
  const pino: typeof Pino = require('pino');
  const write = options.write;
  const destination = write === undefined ? pino.destination({ dest: 2, sync: true }) : { write };
  return pino.pino(
    { level: options.level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    destination,
  );
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, hidden), text);
}

/** A value as it may be written: hidden fields and secrets blanked, errors reduced to what says where they came from. */
function shown(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') {
    const clean = withoutSecrets(value, secrets);
    return clean.length > longestText ? `${clean.slice(0, longestText)}…` : clean;
  }
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '…';
  if (value instanceof Error) return shownError(value, secrets, depth);
  if (Array.isArray(value)) return value.map((entry) => shown(entry, secrets, depth + 1));
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  return shownFields(value instanceof Map ? [...value] : Object.entries(value), secrets, depth);
}

function shownFields(
  entries: readonly (readonly [unknown, unknown])[],
  secrets: readonly string[],
  depth: number,
): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([name, entry]) => [
      String(name),
      hiddenName.test(String(name)) ? hidden : shown(entry, secrets, depth + 1),
    ]),
  );
}

// A database driver hangs statement and parameters on its errors: only these four parts are written.
function shownError(error: Error, secrets: readonly string[], depth: number): object {
  const code = 'code' in error ? error.code : undefined;
  return {
    name: error.name,
    message: shown(error.message, secrets, depth + 1),
    ...(code === undefined ? {} : { code: shown(code, secrets, depth + 1) }),
    ...(error.stack === undefined ? {} : { stack: shown(error.stack, secrets, depth + 1) }),
    ...(error.cause === undefined ? {} : { cause: shown(error.cause, secrets, depth + 1) }),
  };
}
