// doctor: what is configured, what can be reached and what is wrong, in plain words; it creates nothing.

import { unknownVariables } from '../config.ts';
import { jsonOption } from './arguments.ts';
import type { Check } from './doctor_finding.ts';
import type { Command, Context } from './command.ts';
import { serverChecks } from './doctor_server.ts';
import { storeChecks } from './doctor_store.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { wrapped } from './table.ts';

/** The command. */
export const doctor: Command = {
  synopsis: '',
  details: [
    'Acts as operator of CONTEXT_TENANT_ID for counting rows, and as the user of the configuration for the tools. Exits ' +
      'with 1 when something is wrong.',
  ],
  options: jsonOption,
  positionals: { least: 0, most: 0 },
  // Without an owner it looks for itself: it creates nothing.
  through: 'running owner',
  async run(context) {
    const { server } = context.config;
    const checks = [
      ...configurationChecks(context),
      ...(server === null ? await directoryChecks(context) : await serverChecks(context, server)),
      ...(await providerChecks(context)),
    ];
    const isWell = checks.every(({ state }) => state !== 'wrong');
    if (context.json) context.print.json({ ok: isWell, checks });
    else printChecks(context, checks);
    return isWell ? exitCodes.done : exitCodes.failed;
  },
};

function configurationChecks({ config, environment, version }: Context): readonly Check[] {
  const unknown = unknownVariables(environment);
  const { tenantId, userId, agentId, threadId, roles } = config;
  return [
    { name: 'program', state: 'ok', says: `context-assembly-memory ${version} on Node ${process.versions.node}` },
    { name: 'engine', state: 'ok', says: config.engine },
    {
      name: 'scope',
      state: 'ok',
      says:
        `tenant ${tenantId || '(none)'}, user ${userId || '(none)'}, agent ${agentId ?? '(none)'}, thread ${threadId ?? 'default'}, ` +
        `roles ${roles.join(', ') || '(none)'}`,
    },
    ...(unknown.length === 0
      ? []
      : [
          {
            name: 'variables',
            state: 'note' as const,
            says: `This program does not know ${unknown.join(', ')}.`,
            action: 'Look for a misspelling; --help lists the variables.',
          },
        ]),
  ];
}

async function directoryChecks(context: Context): Promise<readonly Check[]> {
  const { dataDirectory } = context.config;
  const name = 'data directory';
  const { exists, holder, alive } = await context.directoryState();
  if (holder !== null) {
    const says = `${dataDirectory} is held by ${holder}, ${alive ? 'which lives' : 'of which this machine cannot tell whether it lives'}.`;
    const action = alive
      ? 'Close that program, or give this one a folder of its own with CONTEXT_DATA_DIR.'
      : 'If that process is gone for certain, run `context-assembly-memory unlock`.';
    return [{ name, state: 'wrong', says, action }];
  }
  if (!exists) {
    const says = `${dataDirectory} holds no memory yet; the first command that needs it makes it.`;
    return [{ name, state: 'note', says }];
  }
  const shared = context.ownerPid === null ? 'held by nobody' : `shared through process ${context.ownerPid}`;
  return [{ name, state: 'ok', says: `${dataDirectory}, ${shared}` }, ...(await storeChecks(context))];
}

async function providerChecks(context: Context): Promise<readonly Check[]> {
  const { providerCount } = context.config;
  if (providerCount === null) return [];
  const count = await context.open().providerCount?.({ messages: [{ role: 'user', content: 'ping' }], tools: [] });
  const where = `${new URL(providerCount.url).host}, model ${providerCount.model}`;
  return typeof count === 'number'
    ? [{ name: 'provider count', state: 'ok', says: where }]
    : [
        {
          name: 'provider count',
          state: 'wrong',
          says: `${where} gave no count.`,
          action: 'Check CONTEXT_MODEL_URL, CONTEXT_MODEL and the key, or set CONTEXT_PROVIDER_COUNT to 0.',
        },
      ];
}

function printChecks({ print }: Context, checks: readonly Check[]): void {
  const marks = { ok: ['good', 'ok   '], note: ['warning', 'note '], wrong: ['bad', 'wrong'] } as const;
  const indent = ' '.repeat(7 + 18);
  for (const { name, state, says, action } of checks) {
    const [style, mark] = marks[state];
    const [first = '', ...rest] = wrapped(plain(says), Math.max(40, print.columns - indent.length));
    print.line(`${print.paint(style, mark)}  ${name.padEnd(18)}${first}`);
    for (const line of rest) print.line(`${indent}${line}`);
    if (action === undefined) continue;
    for (const line of wrapped(plain(action), Math.max(40, print.columns - indent.length))) {
      print.line(`${indent}${print.paint('faint', line)}`);
    }
  }
  const wrong = checks.filter(({ state }) => state === 'wrong').length;
  print.line();
  print.line(
    wrong === 0 ? print.paint('good', 'Nothing is wrong.') : print.paint('bad', `Wrong: ${wrong} of ${checks.length}.`),
  );
}
