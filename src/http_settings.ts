// The part of the configuration that says where `http` listens, whom it believes, and who may speak to it (design I1, I4).

import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { isLoopbackHost, isSafeAddress } from './auth/address.ts';
import type { ClaimNames } from './auth/claims.ts';
import type { KeyPlace } from './auth/load_keys.ts';
import { signatureAlgorithms } from './auth/verifier_options.ts';
import { MemoryError } from './model/errors.ts';

/** The variables of `http`, as the README's table lists them. */
export const httpVariables = [
  {
    name: 'CONTEXT_HOST',
    default: '127.0.0.1',
    meaning: 'Address that `http` listens on; with CONTEXT_AUTH none only one of this machine.',
  },
  { name: 'CONTEXT_PORT', default: '3000', meaning: 'Port that `http` listens on; 0: any that is free.' },
  {
    name: 'CONTEXT_AUTH',
    default: 'jwt',
    meaning: '`jwt`: each request brings a token; `none`: all are the configured tenant and user.',
  },
  { name: 'CONTEXT_AUTH_ISSUER', default: '', meaning: 'Address of the identity provider, exactly as in its tokens.' },
  {
    name: 'CONTEXT_AUTH_AUDIENCE',
    default: '',
    meaning: 'Public address of this server, such as https://memory.example.com/mcp; tokens must be for it.',
  },
  {
    name: 'CONTEXT_AUTH_JWKS',
    default: "the issuer's own",
    meaning: 'Where the keys of tokens are: an https address, or the absolute path of a file.',
  },
  {
    name: 'CONTEXT_AUTH_ALGORITHMS',
    default: 'RS256,PS256,ES256,EdDSA',
    meaning: 'Algorithms that a token may be signed with, separated by commas; asymmetric ones alone.',
  },
  {
    name: 'CONTEXT_AUTH_SCOPES',
    default: '',
    meaning: 'OAuth scopes that every token must have, separated by commas.',
  },
  { name: 'CONTEXT_AUTH_CLAIM_TENANT', default: 'tenant_id', meaning: 'Claim of a token that names the tenant.' },
  { name: 'CONTEXT_AUTH_CLAIM_USER', default: 'sub', meaning: 'Claim that names the user.' },
  { name: 'CONTEXT_AUTH_CLAIM_AGENT', default: 'agent_id', meaning: 'Claim that names the agent; may be absent.' },
  { name: 'CONTEXT_AUTH_CLAIM_ROLES', default: 'roles', meaning: 'Claim that lists the roles; may be absent.' },
  {
    name: 'CONTEXT_AUTH_LEEWAY_SECONDS',
    default: '30',
    meaning: "How far the issuer's clock may be off, 0 to 300.",
  },
  {
    name: 'CONTEXT_ALLOWED_HOSTS',
    default: 'names of this machine, and that of CONTEXT_AUTH_AUDIENCE',
    meaning: 'Names that a request may call the server by, without port, separated by commas.',
  },
  {
    name: 'CONTEXT_ALLOWED_ORIGINS',
    default: 'pages of this machine',
    meaning: 'Origins of web pages that may ask, such as https://app.example.com, separated by commas.',
  },
] as const;

/** Whom the server believes. */
export interface TokenSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: KeyPlace;
  readonly algorithms: readonly string[];
  /** Scopes that each token must have. */
  readonly scopes: readonly string[];
  readonly claims: ClaimNames;
  readonly leewaySeconds: number;
}

/** What `http` was told; frozen. */
export interface HttpSettings {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Null: no sign-in, every request acts as the configured tenant and user. */
  readonly tokens: TokenSettings | null;
  /** Names without port, IPv6 addresses in brackets; lower case. */
  readonly allowedHosts: readonly string[];
  /** Null: pages of this machine, whatever their port. */
  readonly allowedOrigins: readonly string[] | null;
}

/** Addresses that stand for all of a machine, and that nobody calls it by. */
const anyAddress = ['0.0.0.0', '::'];
const machineNames = ['localhost', '127.0.0.1', '[::1]'];

function list(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}

const safeAddress = z.string().refine(isSafeAddress, 'is no https address (http is for this machine alone)');

const claimName = z.string().regex(/^[^\p{Cc}\s]{1,255}$/u, 'is no name of a claim');

function listOf(isRight: (entry: string) => boolean, problem: string) {
  return z
    .string()
    .transform(list)
    .refine((entries) => entries.length > 0 && entries.every(isRight), problem);
}

function wholeNumberUpTo(most: number) {
  return z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= most, `is no whole number from 0 to ${most}`)
    .transform(Number);
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text.toLowerCase();
}

/** What each of the variables may be. */
export const httpShape = {
  CONTEXT_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, 'is no name or address')
    .default('127.0.0.1'),
  CONTEXT_PORT: wholeNumberUpTo(65_535).default(3000),
  CONTEXT_AUTH: z
    .enum(['jwt', 'none'], { error: ({ input }) => `is ${JSON.stringify(input)}, but must be jwt or none` })
    .default('jwt'),
  CONTEXT_AUTH_ISSUER: safeAddress.optional(),
  CONTEXT_AUTH_AUDIENCE: safeAddress.optional(),
  CONTEXT_AUTH_JWKS: z
    .string()
    .refine((text) => isAbsolute(text) || isSafeAddress(text), 'is neither an https address nor an absolute path')
    .optional(),
  CONTEXT_AUTH_ALGORITHMS: listOf(
    (name) => signatureAlgorithms.includes(name),
    `names another algorithm than ${signatureAlgorithms.join(', ')}`,
  ).default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  CONTEXT_AUTH_SCOPES: listOf(
    (scope) => /^[\u0021\u0023-\u005B\u005D-\u007E]+$/.test(scope),
    'holds a character that no scope has',
  ).default([]),
  CONTEXT_AUTH_CLAIM_TENANT: claimName.default('tenant_id'),
  CONTEXT_AUTH_CLAIM_USER: claimName.default('sub'),
  CONTEXT_AUTH_CLAIM_AGENT: claimName.default('agent_id'),
  CONTEXT_AUTH_CLAIM_ROLES: claimName.default('roles'),
  CONTEXT_AUTH_LEEWAY_SECONDS: wholeNumberUpTo(300).default(30),
  CONTEXT_ALLOWED_HOSTS: listOf(
    (name) => /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/i.test(name),
    'must be names without scheme and port',
  ).optional(),
  CONTEXT_ALLOWED_ORIGINS: listOf(isOrigin, 'must be origins such as https://app.example.com').optional(),
};

const shape = z.object(httpShape);

/** The variables of `http` as read. */
export type HttpValues = z.output<typeof shape>;

/**
 * What `http` runs with. Throws `invalid_configuration` where nobody would be kept out, or where it is not said whose
 * tokens are believed.
 */
export function httpSettings(values: HttpValues): HttpSettings {
  const { CONTEXT_HOST: host, CONTEXT_AUTH: auth } = values;
  if (auth === 'none' && !isLoopbackHost(host)) {
    throw wrong('CONTEXT_HOST', `is ${host}, which others can reach, and CONTEXT_AUTH is none`);
  }
  const tokens = auth === 'none' ? null : tokenSettings(values);
  const publicName = tokens === null ? [] : [new URL(tokens.audience).hostname];
  const ownName = anyAddress.includes(host) ? [] : [isIP(host) === 6 ? `[${host}]` : host];
  const hosts = values.CONTEXT_ALLOWED_HOSTS ?? [...machineNames, ...ownName, ...publicName];
  return Object.freeze({
    host,
    port: values.CONTEXT_PORT,
    tokens,
    allowedHosts: Object.freeze([...new Set(hosts.map((name) => name.toLowerCase()))]),
    allowedOrigins: values.CONTEXT_ALLOWED_ORIGINS?.map((origin) => origin.toLowerCase()) ?? null,
  });
}

function tokenSettings(values: HttpValues): TokenSettings {
  const { CONTEXT_AUTH_ISSUER: issuer, CONTEXT_AUTH_AUDIENCE: audience } = values;
  if (issuer === undefined) throw wrong('CONTEXT_AUTH_ISSUER', 'is not set, and CONTEXT_AUTH is jwt');
  if (audience === undefined) throw wrong('CONTEXT_AUTH_AUDIENCE', 'is not set, and CONTEXT_AUTH is jwt');
  return Object.freeze({
    issuer,
    audience,
    keys: keySource(values.CONTEXT_AUTH_JWKS),
    algorithms: values.CONTEXT_AUTH_ALGORITHMS,
    scopes: values.CONTEXT_AUTH_SCOPES,
    claims: {
      tenant: values.CONTEXT_AUTH_CLAIM_TENANT,
      user: values.CONTEXT_AUTH_CLAIM_USER,
      agent: values.CONTEXT_AUTH_CLAIM_AGENT,
      roles: values.CONTEXT_AUTH_CLAIM_ROLES,
    },
    leewaySeconds: values.CONTEXT_AUTH_LEEWAY_SECONDS,
  });
}

function keySource(given: string | undefined): KeyPlace {
  if (given === undefined) return { kind: 'discovery' };
  return isAbsolute(given) ? { kind: 'file', path: given } : { kind: 'url', url: given };
}

function wrong(variable: string, problem: string): MemoryError {
  return new MemoryError('invalid_configuration', `${variable} ${problem}.`, { variable });
}
