// init: the default profile of a tenant, so that a host finds its tools.

import type { OperatorManager } from '../manager/manager.ts';
import { jsonOption } from './arguments.ts';
import { operatorCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { shippedSeed } from './shipped_files.ts';

/** The command. */
export const init: Command = {
  synopsis: '',
  details: [
    'Acts as operator of CONTEXT_TENANT_ID. A tenant that ever had a tool keeps what it has; running it twice changes ' +
      'nothing.',
  ],
  options: jsonOption,
  positionals: { least: 0, most: 0 },
  through: 'owner',
  async run(context) {
    const written = await initialise(context, await context.open().operator());
    const tenant = context.config.tenantId;
    if (context.json) context.print.json({ tenant_id: tenant, initialised: written });
    else if (written) context.print.line(`Tenant ${tenant} now has the default profile: four tools and a budget.`);
    else context.print.line(`Tenant ${tenant} had tools already; nothing was changed.`);
    return exitCodes.done;
  },
};

/** Writes the default profile if the tenant never had a tool; tells whether it did. */
export async function initialise(context: Context, operator: OperatorManager): Promise<boolean> {
  const { json } = await shippedSeed('default_profile');
  return operator.init(operatorCall(context), json);
}

/**
 * For commands that start on an empty tenant: initialises it and says so beside the result. A tenant on a server is
 * left as it is: whoever keeps the server says when.
 */
export async function initialiseIfEmpty(context: Context, operator: OperatorManager): Promise<void> {
  if (context.config.server !== null) return;
  if (!(await initialise(context, operator))) return;
  context.print.note(
    `Tenant ${context.config.tenantId} was empty: it now has the default profile (four tools, a budget).`,
  );
}
