// Whom a command acts for: the launch configuration's principal, or the operator of its tenant.

import { launchScope, operatorScope } from '../auth/make_scope.ts';
import type { Call, OperatorCall } from '../manager/manager.ts';
import { MemoryError } from '../model/errors.ts';
import type { Scope } from '../model/scope.ts';
import type { Context } from './command.ts';

/**
 * The principal whom the configuration names. Throws `invalid_configuration` where tenant or user is not set, and
 * `invalid_argument` for ids that cannot be.
 */
export function configuredScope({ config }: Context): Scope {
  requireSet(config.tenantId, 'CONTEXT_TENANT_ID');
  requireSet(config.userId, 'CONTEXT_USER_ID');
  return launchScope(config);
}

// On a server that many share nobody is served by default: an empty id is one that nobody gave.
function requireSet(value: string, variable: string): void {
  if (value !== '') return;
  const message = `${variable} is not set; on a database server it has no default.`;
  throw new MemoryError('invalid_configuration', message, { variable });
}

/** A call as the user whom the configuration names. Throws as {@link configuredScope} does. */
export function launchCall(context: Context): Call {
  return {
    scope: configuredScope(context),
    requestId: context.requestId,
    client: { name: 'context-assembly-memory command line', version: context.version },
    signal: context.signal,
  };
}

/** A call as the operator of CONTEXT_TENANT_ID: the whole tenant, no user. */
export function operatorCall(context: Context): OperatorCall {
  requireSet(context.config.tenantId, 'CONTEXT_TENANT_ID');
  return {
    scope: operatorScope(context.config.tenantId),
    requestId: context.requestId,
    signal: context.signal,
    onProgress: progressOf(context),
  };
}

/** Tells a person at a terminal how far long work is; says nothing where nobody watches. */
export function progressOf(context: Context): (done: number, what: string) => void {
  let last = '';
  return (done, what) => {
    const line = `${String(Math.round(done * 100)).padStart(3)}% ${what}`;
    if (line === last || context.json || !context.print.isWatched) return;
    last = line;
    context.print.note(context.print.paintNote('faint', line));
  };
}
