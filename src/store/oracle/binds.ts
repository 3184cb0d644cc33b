// How a caller's values become binds: by the statement's head, and with the session's own trusted context beside them.

import type { BindParameter, BindParameters } from 'oracledb';
import type { Bind } from '../statement_head.ts';
import type { Parameter } from '../statements/session.ts';
import type { Driver } from './driver.ts';
import { reshaped } from './reshaped.ts';
import { signBits } from './sign_bits.ts';
import type { Statement } from './statements.ts';

/** What a session adds to its statements; no caller of a statement can choose it. */
export interface TrustedContext {
  readonly tenantId: string | null;
  /** Null for an operator, and for nobody. */
  readonly userId: string | null;
  /** Where the session's snapshot stands; null where it sees the present. */
  readonly scn: string | null;
}

/** The binds of one execution, by name. Throws for values that are not those that the statement names. */
export function bindsOf(
  driver: Driver,
  statement: Statement,
  parameters: readonly Parameter[],
  trusted: TrustedContext,
): BindParameters {
  const { name, head, hasResult } = statement;
  if (parameters.length !== head.binds.length) throw new Error(`the statement ${name} was given other values`);
  const binds: Record<string, BindParameter> = {};
  head.binds.forEach((bind, index) => {
    binds[bind.name] = valueOf(driver, bind, reshaped(name, bind.name, parameters[index] ?? null));
  });
  for (const bind of head.derived) binds[bind.name] = derivedBind(driver, statement, bind, parameters);
  for (const context of head.context) binds[context] = contextBind(driver, context, trusted);
  if (hasResult) binds['result'] = { dir: driver.BIND_OUT, type: driver.DB_TYPE_JSON };
  return binds;
}

function valueOf(driver: Driver, { name, type }: Bind, value: Parameter): BindParameter {
  // NULL as a text: a NULL of the types below cannot be bound, or is taken for a JSON null.
  if (value === null) return { type: driver.DB_TYPE_VARCHAR, val: null };
  switch (type) {
    case 'text':
      return { type: driver.DB_TYPE_VARCHAR, val: String(value) };
    case 'number':
      if (typeof value !== 'number') throw new Error(`the bind ${name} takes a number`);
      return { type: driver.DB_TYPE_NUMBER, val: value };
    case 'flag':
      return { type: driver.DB_TYPE_NUMBER, val: value === true ? 1 : 0 };
    case 'json':
      return jsonBind(driver, value);
    case 'vector':
      return { type: driver.DB_TYPE_VECTOR, val: vectorOf(name, value) };
    default:
      throw type satisfies never;
  }
}

// A number that the program's own hold: up to fifteen digits, and no exponent.
const longNumber = /(?:^|[[:,\s])-?(?:\d[\d.]{15,}|\d[\d.]*[eE])/;

/**
 * JSON travels as text in every dialect, lists of the caller's as they are. Here the driver takes values, except for
 * text with numbers that would not be the same as values: the database reads that itself.
 */
function jsonBind(driver: Driver, value: Parameter): BindParameter {
  if (typeof value === 'string' && longNumber.test(value) && !isExact(value)) {
    return { type: driver.DB_TYPE_CLOB, val: value };
  }
  const json: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return json === null ? { type: driver.DB_TYPE_VARCHAR, val: null } : { type: driver.DB_TYPE_JSON, val: json };
}

/** Whether every number of a JSON text comes back from the program as it stands there, whatever its form. */
function isExact(text: string): boolean {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return (outside.match(/-?\d[\d.eE+-]*/g) ?? []).every(
    (number) => digitsOf(number) === digitsOf(String(Number(number))),
  );
}

/** The digits that say something, and where their point stands. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return `${sign}${kept}e${kept === '' ? 0 : Number(exponent) - fraction.length + (digits.length - kept.length)}`;
}

function vectorOf(name: string, value: Parameter): Float32Array {
  const numbers: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (!Array.isArray(numbers)) throw new Error(`the bind ${name} takes a vector`);
  return Float32Array.from(numbers, Number);
}

/** The one value that is derived: the signs of the statement's vector. */
function derivedBind(
  driver: Driver,
  { name, head }: Statement,
  { name: derived, type }: Bind,
  parameters: readonly Parameter[],
): BindParameter {
  const place = head.binds.findIndex((bind) => bind.type === 'vector');
  if (derived !== 'bits' || type !== 'vector' || place === -1) {
    throw new Error(`the statement ${name} derives ${derived}, which nothing here knows`);
  }
  return { type: driver.DB_TYPE_VECTOR, val: signBits(vectorOf(derived, parameters[place] ?? null)) };
}

function contextBind(driver: Driver, name: string, { tenantId, userId, scn }: TrustedContext): BindParameter {
  switch (name) {
    case 'tenant_id':
      if (tenantId === null) throw new Error('a statement of a tenant was run for nobody');
      return { type: driver.DB_TYPE_VARCHAR, val: tenantId };
    case 'user_id':
      return { type: driver.DB_TYPE_VARCHAR, val: userId };
    case 'scn':
      if (scn === null) throw new Error('a statement of a snapshot was run without one');
      return { type: driver.DB_TYPE_NUMBER, val: exactScn(scn) };
    default:
      throw new Error(`no session has ${name} in its context`);
  }
}

/** Text everywhere but here: the driver binds numbers, and an SCN stays far below the largest exact one. */
function exactScn(scn: string): number {
  const value = Number(scn);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error('an SCN is not exact as a number');
  return value;
}
