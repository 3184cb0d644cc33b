// Whose records a command asks about: the configured user's own, or with --tenant all of the tenant, as its operator.

import type { RecordMethods } from '../manager/manager.ts';
import type { Options } from './arguments.ts';
import { launchCall, operatorCall } from './calls.ts';
import type { Context } from './command.ts';

/** The option of commands that can ask as operator. */
export const tenantOption = {
  tenant: { help: 'as operator of CONTEXT_TENANT_ID: of any user, agent and thread' },
} as const satisfies Options;

type Asked = { readonly [Method in keyof RecordMethods<never>]: BoundMethod<Method> };

type BoundMethod<Method extends keyof RecordMethods<never>> = RecordMethods<never>[Method] extends (
  call: never,
  ...rest: infer Rest
) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** The methods with the command's own call filled in. Throws as the calls do. */
export async function recordsOf(context: Context): Promise<Asked> {
  const parts = context.open();
  return context.arguments.flag('tenant')
    ? bound(await parts.operator(), operatorCall(context))
    : bound(await parts.manager(), launchCall(context));
}

function bound<Caller>(methods: RecordMethods<Caller>, call: Caller): Asked {
  return {
    replay: (manifestId) => methods.replay(call, manifestId),
    manifestIds: (asked) => methods.manifestIds(call, asked),
    affected: (ref) => methods.affected(call, ref),
    trace: (asked) => methods.trace(call, asked),
  };
}
