// From claims to a principal: which claim names whom, and what a value must look like (design I1).

import { Refusal } from './refusal.ts';
import type { TokenPrincipal } from './make_scope.ts';

/** Claims as a verified token holds them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Where a principal stands in a token: each the name of a claim, or a path of names with dots between them. */
export interface ClaimNames {
  readonly tenant: string;
  readonly user: string;
  readonly agent: string;
  readonly roles: string;
}

const longestValueBytes = 255;

/** The principal that verified claims name. Throws a `Refusal` that says which claim is wrong, never its value. */
export function principalOf(claims: Claims, names: ClaimNames): TokenPrincipal {
  return {
    tenantId: required(claims, names.tenant, 'tenant'),
    userId: required(claims, names.user, 'user'),
    agentId: optional(claims, names.agent, 'agent'),
    roles: listed(valueAt(claims, names.roles), 'roles', names.roles),
    oauthScopes: Object.hasOwn(claims, 'scope')
      ? listed(claims.scope, 'scope', 'scope')
      : listed(Object.hasOwn(claims, 'scp') ? claims.scp : undefined, 'scope', 'scp'),
  };
}

/** The subject of verified claims. Throws a `Refusal`. */
export function subjectOf(claims: Claims): string {
  return required(claims, 'sub', 'subject');
}

// A claim of exactly this name comes first: names that are addresses have dots too.
function valueAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((value, part) => (isObject(value) ? own(value, part) : undefined), claims);
}

function own(value: Claims, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function required(claims: Claims, name: string, what: string): string {
  const value = optional(claims, name, what);
  if (value === null) throw new Refusal(`The token names no ${what}.`, `claim \`${name}\` (${what}) is missing`);
  return value;
}

function optional(claims: Claims, name: string, what: string): string | null {
  const value = valueAt(claims, name);
  if (value === undefined) return null;
  if (!isPlain(value)) throw wrong(name, what);
  return value;
}

/** Several values: an array of them, or one text with spaces between them; none when the claim is absent. */
function listed(value: unknown, what: string, name: string): readonly string[] {
  if (value === undefined) return [];
  const values: unknown = typeof value === 'string' ? value.split(' ').filter((part) => part !== '') : value;
  if (!Array.isArray(values) || !values.every(isPlain)) throw wrong(name, what);
  return values;
}

// The rule of ids (model/ids.ts), for roles and OAuth scopes as well: they meet the same log lines and policies.
function isPlain(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.isWellFormed() &&
    !/\p{Cc}/u.test(value) &&
    Buffer.byteLength(value) <= longestValueBytes
  );
}

function wrong(name: string, what: string): Refusal {
  return new Refusal(
    `The token's ${what} claim is not usable.`,
    `claim \`${name}\` (${what}) is of a wrong type or form`,
  );
}
