// The configuration: environment only, read once, checked, frozen. A wrong value stops the start with its name.

import { z } from 'zod';
import { id, oneOf } from './config_values.ts';
import { databaseServer, serverSecrets, serverShape, serverVariables } from './database_server.ts';
import type { DatabaseServer, EngineName } from './database_server.ts';
import { dataFolder, thisMachine } from './data_folder.ts';
import type { Machine } from './data_folder.ts';
import { httpShape, httpVariables } from './http_settings.ts';
import type { HttpValues } from './http_settings.ts';
import { MemoryError } from './model/errors.ts';
import { modelSecrets, modelSettings } from './model_settings.ts';
import type { ModelSettings } from './model_settings.ts';
import { modelShape, modelVariables } from './model_variables.ts';

/** A variable of the environment, as the README's table lists it. */
export interface Variable {
  readonly name: string;
  /** What holds when it is not set; the empty string when nothing does. */
  readonly default: string;
  readonly meaning: string;
  readonly secret?: true;
}

/** Every variable that this version reads, in the order of the README's table. */
export const variables = [
  {
    name: 'CONTEXT_ENGINE',
    default: 'embedded',
    meaning: 'Where memory is kept: `embedded`, in a folder of this machine, or on a server: `postgres` or `oracle`.',
  },
  {
    name: 'CONTEXT_DATA_DIR',
    default: 'context-assembly-memory in the data folder of the user',
    meaning: 'Folder of the embedded store; `:memory:` keeps nothing after the process.',
  },
  {
    name: 'CONTEXT_SHARED',
    default: '1',
    meaning: '0: hold the folder in this process alone, as in a container that ends with it.',
  },
  {
    name: 'CONTEXT_OWNER_IDLE_SECONDS',
    default: '30',
    meaning: 'How long the process that holds the folder stays after its last client; 0 to 86400.',
  },
  ...serverVariables,
  {
    name: 'CONTEXT_RETENTION_HOURS',
    default: '0',
    meaning: 'How often a server process does what `context_retention` says; 0: never, run `retention` yourself.',
  },
  {
    name: 'CONTEXT_TENANT_ID',
    default: 'local',
    meaning: 'Tenant of the process, and of operator commands. No default on a server.',
  },
  {
    name: 'CONTEXT_USER_ID',
    default: "the operating system's user name",
    meaning: 'User whose memory is served. No default on a server.',
  },
  { name: 'CONTEXT_AGENT_ID', default: '', meaning: 'Agent whose memory is served; without it, no agent.' },
  { name: 'CONTEXT_THREAD_ID', default: 'default', meaning: 'Thread of a conversation that names none.' },
  { name: 'CONTEXT_ROLES', default: '', meaning: 'Roles of the user, separated by commas, for access policies.' },
  ...httpVariables,
  ...modelVariables,
  {
    name: 'CONTEXT_SUMMARISER',
    default: 'built-in',
    meaning: 'Shortens long memories: `built-in`, or `endpoint`, which sends their text to CONTEXT_MODEL_URL.',
  },
  {
    name: 'CONTEXT_SUMMARISER_MODEL',
    default: '',
    meaning: 'Model that CONTEXT_SUMMARISER=endpoint asks; without it, CONTEXT_MODEL.',
  },
  {
    name: 'CONTEXT_LOG_LEVEL',
    default: 'warn',
    meaning: 'debug, info, warn, error or silent; lines go to stderr. Where it is not set, `http` has info.',
  },
  { name: 'CONTEXT_MODEL', default: '', meaning: 'Model that windows are made for; recorded in manifests.' },
  {
    name: 'CONTEXT_PROVIDER_COUNT',
    default: '0',
    meaning: '1: also ask the provider to count a request; needs CONTEXT_MODEL_URL and CONTEXT_MODEL.',
  },
  {
    name: 'CONTEXT_MODEL_URL',
    default: '',
    meaning: 'Base address of an OpenAI-compatible service, such as https://api.openai.com/v1.',
  },
  { name: 'CONTEXT_MODEL_API_KEY', default: '', meaning: 'Key for CONTEXT_MODEL_URL; never logged.', secret: true },
  {
    name: 'CONTEXT_DOCUMENT_URL',
    default: '',
    meaning: 'Address to which `search` and `fetch` append an id, for documents that have none of their own.',
  },
] as const satisfies readonly Variable[];

/** Name of a variable that this version reads. */
export type VariableName = (typeof variables)[number]['name'];

/** A model of a service: it counts the tokens of a request (design B6), or summarises (C1). */
export interface ProviderEndpoint {
  readonly url: string;
  readonly apiKey: string | null;
  readonly model: string;
}

/** What a process was told when it started; frozen. */
export interface Config {
  readonly engine: EngineName;
  /** An absolute path, or `:memory:`; with a server there is no folder, and it is `:memory:`. */
  readonly dataDirectory: string;
  /** The server that keeps the memory; null when this machine does. */
  readonly server: DatabaseServer | null;
  /** False: this process holds the directory itself, and shares it with nobody. */
  readonly isShared: boolean;
  /** How long an owner of the directory stays after its last client. */
  readonly ownerIdleSeconds: number;
  /** Hours between two rounds of retention in a server process; 0: none. */
  readonly retentionHours: number;
  /** Empty on a server where none was given: nobody is served by default there. */
  readonly tenantId: string;
  /** Empty as {@link Config.tenantId} may be. */
  readonly userId: string;
  readonly agentId: string | null;
  readonly threadId: string | null;
  readonly roles: readonly string[];
  /** What `http` was told, each value right by itself; `httpSettings` says whether it can be served with. */
  readonly http: HttpValues;
  /** What measures text. */
  readonly models: ModelSettings;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly model: string | null;
  /** The service that is asked to count requests; null when none is. */
  readonly providerCount: ProviderEndpoint | null;
  /** Address to which an id is appended for a memory that has none of its own; null where none is set. */
  readonly documentUrl: string | null;
  /** The service that summarises; null where the built-in summariser does. */
  readonly summariser: ProviderEndpoint | null;
  /** Values that must never be written anywhere. */
  readonly secrets: readonly string[];
}

/** Variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration. An empty value counts as not set, except for tenant and user: who memory belongs to is never
 * guessed from a value that came out empty. Throws `invalid_configuration` with the variable's name in `data.variable`.
 */
export function readConfig(environment: Environment, machine: Machine = thisMachine()): Config {
  const given = Object.fromEntries(
    variables.flatMap(({ name }) => {
      const value = environment[name];
      return value === undefined || (value === '' && !identities.has(name)) ? [] : [[name, value]];
    }),
  );
  const parsed = shape.safeParse(given);
  if (!parsed.success) throw wrong(parsed.error);
  const values = parsed.data;
  const server = databaseServer(values.CONTEXT_ENGINE, values);
  const folder = values.CONTEXT_DATA_DIR;
  const apiKey = values.CONTEXT_MODEL_API_KEY === undefined ? [] : [values.CONTEXT_MODEL_API_KEY];
  return Object.freeze({
    engine: values.CONTEXT_ENGINE,
    dataDirectory: server === null ? dataDirectory(folder, environment, machine) : ':memory:',
    server,
    isShared: values.CONTEXT_SHARED === '1',
    ownerIdleSeconds: values.CONTEXT_OWNER_IDLE_SECONDS,
    retentionHours: values.CONTEXT_RETENTION_HOURS,
    tenantId: values.CONTEXT_TENANT_ID ?? (server === null ? 'local' : ''),
    userId: values.CONTEXT_USER_ID ?? (server === null ? machine.userName : ''),
    agentId: values.CONTEXT_AGENT_ID ?? null,
    threadId: values.CONTEXT_THREAD_ID ?? null,
    roles: Object.freeze(values.CONTEXT_ROLES),
    http: Object.freeze(httpValues.parse(given)),
    models: modelSettings(values),
    logLevel: values.CONTEXT_LOG_LEVEL,
    model: values.CONTEXT_MODEL ?? null,
    providerCount: values.CONTEXT_PROVIDER_COUNT === '1' ? endpointFor('CONTEXT_PROVIDER_COUNT is 1', values) : null,
    summariser: summariserEndpoint(values),
    documentUrl: values.CONTEXT_DOCUMENT_URL ?? null,
    secrets: Object.freeze([...new Set([...apiKey, ...serverSecrets(values), ...modelSecrets(values)])]),
  });
}

/** Names that begin like ours and that nobody reads: most likely misspelt. Sorted. */
export function unknownVariables(environment: Environment): readonly string[] {
  const known = new Set<string>(variables.map(({ name }) => name));
  return Object.keys(environment)
    .filter((name) => name.startsWith('CONTEXT_') && !known.has(name))
    .toSorted();
}

const identities: ReadonlySet<string> = new Set<VariableName>(['CONTEXT_TENANT_ID', 'CONTEXT_USER_ID']);

const longestIdleSeconds = 86_400;

const shape = z.object({
  CONTEXT_ENGINE: oneOf(['embedded', 'postgres', 'oracle']).default('embedded'),
  CONTEXT_DATA_DIR: z
    .string()
    .refine((text) => !text.includes('\u0000'), 'holds a character that no path has')
    .optional(),
  CONTEXT_SHARED: oneOf(['0', '1']).default('1'),
  CONTEXT_OWNER_IDLE_SECONDS: z
    .string()
    .regex(/^\d{1,5}$/, 'is no whole number of seconds')
    .transform(Number)
    .refine((seconds) => seconds <= longestIdleSeconds, `is more than ${longestIdleSeconds}`)
    .default(30),
  ...serverShape,
  ...httpShape,
  CONTEXT_RETENTION_HOURS: z
    .string()
    .regex(/^\d{1,4}$/, 'is no whole number of hours')
    .transform(Number)
    .default(0),
  CONTEXT_TENANT_ID: id.optional(),
  CONTEXT_USER_ID: id.optional(),
  CONTEXT_AGENT_ID: id.optional(),
  CONTEXT_THREAD_ID: id.optional(),
  CONTEXT_ROLES: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((role) => role.trim())
        .filter((role) => role !== ''),
    )
    .pipe(z.array(id)),
  ...modelShape,
  CONTEXT_SUMMARISER: oneOf(['built-in', 'endpoint']).default('built-in'),
  CONTEXT_SUMMARISER_MODEL: id.optional(),
  CONTEXT_LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent']).default('warn'),
  CONTEXT_MODEL: id.optional(),
  CONTEXT_PROVIDER_COUNT: oneOf(['0', '1']).default('0'),
  CONTEXT_MODEL_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'is no http or https address')
    .refine(
      (text) => !URL.canParse(text) || new URL(text).password === '',
      'holds a password; use CONTEXT_MODEL_API_KEY',
    )
    .optional(),
  CONTEXT_DOCUMENT_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'is no http or https address')
    .refine((text) => !URL.canParse(text) || new URL(text).password === '', 'holds a password, which hosts would see')
    .optional(),
  CONTEXT_MODEL_API_KEY: z
    .string()
    .regex(/^[\u0021-\u007e]+$/, 'holds a character that no key has')
    .optional(),
});

type Values = z.output<typeof shape>;

const httpValues = z.object(httpShape);

function wrong(error: z.ZodError): MemoryError {
  const variable = String(error.issues[0]?.path[0] ?? '');
  const problem = error.issues[0]?.message ?? 'is wrong';
  return invalid(variable, problem);
}

function invalid(variable: string, problem: string): MemoryError {
  return new MemoryError('invalid_configuration', `${variable} ${problem}.`, { variable });
}

/** The configured service and model. Throws where one is missing, naming what asks for it. */
function endpointFor(because: string, values: Values): ProviderEndpoint {
  const { CONTEXT_MODEL_URL: url, CONTEXT_MODEL: model } = values;
  if (url === undefined) throw invalid('CONTEXT_MODEL_URL', `is not set, but ${because}`);
  if (model === undefined) throw invalid('CONTEXT_MODEL', `is not set, but ${because}`);
  return Object.freeze({ url, model, apiKey: values.CONTEXT_MODEL_API_KEY ?? null });
}

function summariserEndpoint(values: Values): ProviderEndpoint | null {
  if (values.CONTEXT_SUMMARISER === 'built-in') return null;
  const model = values.CONTEXT_SUMMARISER_MODEL ?? values.CONTEXT_MODEL;
  return endpointFor('CONTEXT_SUMMARISER is endpoint', { ...values, CONTEXT_MODEL: model });
}

function dataDirectory(given: string | undefined, environment: Environment, machine: Machine): string {
  const folder = dataFolder(given, environment, machine);
  if (folder === null) throw invalid('CONTEXT_DATA_DIR', 'is not set, and the user has no home folder');
  return folder;
}
