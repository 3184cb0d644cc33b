// What an entry says: how this program is started, and for whom; never a secret.

import { posix, win32 } from 'node:path';
import { MemoryError } from '../model/errors.ts';
import type { LocalServer } from './hosts.ts';
import { isTable } from './path.ts';
import type { TableValue } from './path.ts';

/** Variables that say whose memory is served, from where and how; an entry holds those that are set, and no others. */
export const carriedVariables = [
  'CONTEXT_ENGINE',
  'CONTEXT_DATA_DIR',
  'CONTEXT_SHARED',
  'CONTEXT_OWNER_IDLE_SECONDS',
  'DB_DSN',
  'DB_CONNECT_STRING',
  'DB_USER',
  'DB_WALLET_DIR',
  'CONTEXT_POOL_MAX',
  'CONTEXT_STATEMENT_TIMEOUT_MS',
  'CONTEXT_TENANT_ID',
  'CONTEXT_USER_ID',
  'CONTEXT_AGENT_ID',
  'CONTEXT_THREAD_ID',
  'CONTEXT_ROLES',
  'CONTEXT_EMBEDDER',
  'CONTEXT_EMBEDDER_MODEL',
  'CONTEXT_EMBEDDER_QUERY_MODEL',
  'CONTEXT_EMBEDDER_QUERY_PREFIX',
  'CONTEXT_EMBEDDER_TEXT_PREFIX',
  'CONTEXT_EMBEDDER_URL',
  'CONTEXT_EMBEDDER_DIMENSIONS',
  'CONTEXT_EMBEDDER_DOWNLOAD',
  'CONTEXT_RERANKER',
  'CONTEXT_RERANKER_MODEL',
  'CONTEXT_RERANKER_URL',
  'CONTEXT_RERANKER_SHAPE',
  'CONTEXT_LOG_LEVEL',
  'CONTEXT_MODEL',
] as const;

/** How this process was started. */
export interface Launch {
  readonly platform: NodeJS.Platform;
  /** Full path of Node. */
  readonly node: string;
  /** Full path of the program's main file. */
  readonly program: string;
  /** False for a checkout in which the main file was not made yet. */
  readonly isBuilt: boolean;
  /** Full path of npm's own program, where npm started this one; null where it did not. */
  readonly npm: string | null;
}

/** What this run was configured with. */
export interface Settings {
  /** All variables that count, those of a file among them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The file of --env-file, by its full path, with what it holds; null without one. */
  readonly envFile: { readonly path: string; readonly variables: Readonly<Record<string, string | undefined>> } | null;
  /** The folder in use, absolute or `:memory:`; null where a server keeps the memory. */
  readonly dataDirectory: string | null;
  /** Values that must never be written anywhere. */
  readonly secrets: readonly string[];
}

/** Where npm keeps what npx has loaded; it may vanish any day. */
const npxFolder = /[\\/]_npx[\\/]/;

// A shorter one may be a word that stands anywhere, as in postgres://app:app@…
const shortestSecret = 8;

/**
 * The program as a host starts it: by full paths, because hosts have no shell's PATH. The data directory is always
 * named, because hosts pass on few variables, and some change those that its default depends on. What stands in the
 * file of --env-file stays there. Throws `invalid_argument` for a value that a host would not pass on as it is.
 */
export function localServer(launch: Launch, settings: Settings): LocalServer {
  const { environment, envFile, dataDirectory, secrets } = settings;
  const given = carriedVariables.flatMap((name) => {
    const value = name === 'CONTEXT_DATA_DIR' ? (dataDirectory ?? '') : (environment[name] ?? '');
    return value === '' || value === envFile?.variables[name] ? [] : [[name, value] as const];
  });
  const { command, args, env } = startOf(launch);
  const server = {
    command,
    args: [...args, 'stdio', ...(envFile === null ? [] : ['--env-file', envFile.path])],
    env: { ...env, ...Object.fromEntries(given) },
  };
  for (const text of [command, ...server.args, ...Object.values(server.env)]) checkCarried(text, secrets);
  return server;
}

/** What an entry does not say, and what a person can do about it; a sentence each. */
export function localNotes(launch: Launch, settings: Settings): readonly string[] {
  const { environment, envFile, dataDirectory } = settings;
  const isCounting = environment['CONTEXT_PROVIDER_COUNT'] === '1';
  const heldBack = [
    ...(dataDirectory === null ? ['DATABASE_URL', 'DB_PASSWORD', 'DB_WALLET_PASSWORD'] : []),
    ...(isCounting ? ['CONTEXT_PROVIDER_COUNT', 'CONTEXT_MODEL_URL', 'CONTEXT_MODEL_API_KEY'] : []),
    'CONTEXT_EMBEDDER_API_KEY',
    'CONTEXT_RERANKER_API_KEY',
  ].filter((name) => (environment[name] ?? '') !== '' && environment[name] !== envFile?.variables[name]);
  const nobody = ['CONTEXT_TENANT_ID', 'CONTEXT_USER_ID'].filter((name) => (environment[name] ?? '') === '');
  return [
    ...(launch.isBuilt ? [] : [`${launch.program} does not exist yet: run \`npm run build\`.`]),
    ...(heldBack.length === 0
      ? []
      : [
          `${heldBack.join(', ')}: left out, because a host's file is no place for secrets. Write them into a file that only you ` +
            'may read, and run this again with --env-file FILE.',
        ]),
    ...(dataDirectory === null && nobody.length > 0
      ? [`${nobody.join(' and ')}: not set, and on a server nobody is served without them.`]
      : []),
  ];
}

function startOf({ platform, node, program, npm }: Launch): LocalServer {
  if (npm === null || !npxFolder.test(program)) return { command: node, args: [program], env: {} };
  const paths = platform === 'win32' ? win32 : posix;
  return {
    command: node,
    args: [paths.join(paths.dirname(npm), 'npx-cli.js'), '-y', 'context-assembly-memory'],
    // What npx starts looks for Node by its name.
    env: platform === 'win32' ? {} : { PATH: `${paths.dirname(node)}:/usr/bin:/bin` },
  };
}

function checkCarried(text: string, secrets: readonly string[]): void {
  if (text.includes('${')) {
    throw new MemoryError('invalid_argument', `${JSON.stringify(text)} holds \${, which hosts replace by other text.`);
  }
  if (secrets.some((secret) => secret.length >= shortestSecret && text.includes(secret))) {
    throw new MemoryError('invalid_argument', 'A variable that is no secret holds one; nothing was written.');
  }
}

/**
 * The entry that a file is to hold: ours over the one that is there, so that what a person added to it stays. Of its
 * variables, those that this program would write are replaced as a whole.
 */
export function mergedEntry(existing: unknown, ours: TableValue): TableValue {
  if (!isTable(existing) || isLocal(existing) !== isLocal(ours)) return ours;
  const managed = new Set<string>(carriedVariables);
  const kept = isTable(existing['env']) ? Object.entries(existing['env']).filter(([name]) => !managed.has(name)) : [];
  const own = isTable(ours['env']) ? ours['env'] : {};
  const env = { ...Object.fromEntries(kept), ...own };
  const { env: _, ...rest } = existing;
  return { ...rest, ...ours, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

const isLocal = (entry: TableValue): boolean => Object.hasOwn(entry, 'command');
