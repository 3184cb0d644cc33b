// migrate: brings the schema to what this program knows.

import { jsonOption } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit_codes.ts';

/** The command. */
export const migrate: Command = {
  synopsis: '',
  details: [
    'Safe to run twice and from two processes at once. A store of a newer program is refused and left alone.',
    'On PostgreSQL it uses the login of DATABASE_OWNER_URL, makes the roles and lets the logins of DATABASE_URL and ' +
      'DATABASE_OPERATOR_URL step down to theirs. Where it may not, it says what an administrator has to run.',
    'On Oracle it uses the login of DB_OWNER_USER, after an administrator has run schema/oracle/principals.sql once.',
  ],
  options: jsonOption,
  positionals: { least: 0, most: 0 },
  through: 'owner',
  async run(context) {
    const store = await context.open({ migrate: false }).store('migrate');
    const before = new Set((await store.schemaState()).applied);
    const state = await store.migrate();
    const applied = state.applied.filter((migration) => !before.has(migration));
    if (context.json) {
      context.print.json({ applied, schema: state.known, incarnation: state.incarnation });
      return exitCodes.done;
    }
    const { print } = context;
    if (applied.length === 0) print.line(`Nothing to do: the schema is at ${state.known}.`);
    else print.line(`Applied ${applied.join(', ')}; the schema is at ${state.known}.`);
    return exitCodes.done;
  },
};
