// doctor, inside the store: schema, models, rows, policies and tools, each looked at for itself.

import { policiesOf } from '../manager/policies.ts';
import { toolProblem } from '../manager/toolbox.ts';
import { configuredScope, launchCall, operatorCall } from './calls.ts';
import type { Check } from './doctor_finding.ts';
import type { Context, Parts } from './command.ts';
import { modelChecks } from './doctor_models.ts';
import { failureOf } from './failure.ts';
import { figure } from './table.ts';

/** Everything that needs the store open. When it does not open, that is the only finding. */
export async function storeChecks(context: Context): Promise<readonly Check[]> {
  const parts = context.open();
  const { server } = context.config;
  const hasOperator = server === null || server.logins.operate.isSet;
  const opened = await checked(context, 'schema', async () => schemaCheck(parts));
  if (opened.some(({ state }) => state === 'wrong')) return opened;
  return [
    ...opened,
    ...(await checked(context, 'models', async () => modelChecks(context, parts))),
    ...(hasOperator ? await checked(context, 'rows', async () => rowChecks(context, parts)) : []),
    ...(hasOperator ? await checked(context, 'index', async () => indexChecks(context, parts)) : []),
    ...(await checked(context, 'policies', async () => policyChecks(context, parts))),
    ...(await checked(context, 'tools', async () => toolChecks(context, parts))),
  ];
}

/** A check that fails is a finding, not the end of the examination. */
export async function checked(
  context: Context,
  name: string,
  look: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    if (context.signal.aborted) throw error;
    const { message, action, code } = failureOf(error);
    context.log.error({ requestId: context.requestId, error }, `doctor could not look at the ${name}`);
    return [{ name, state: 'wrong', says: `${message} (${code})`, action }];
  }
}

async function schemaCheck(parts: Parts): Promise<readonly Check[]> {
  const state = await (await parts.store()).schemaState();
  // A store in a folder is migrated when it is opened; a server is not.
  if (state.applied.length < state.known) {
    const says = `The database has ${state.applied.length} of ${state.known} migrations.`;
    return [{ name: 'schema', state: 'wrong', says, action: 'Run `context-assembly-memory migrate`.' }];
  }
  return [
    { name: 'schema', state: 'ok', says: `version ${state.known}, database ${state.incarnation ?? 'without a name'}` },
  ];
}

async function rowChecks(context: Context, parts: Parts): Promise<readonly Check[]> {
  const counts = [...(await (await parts.operator()).countRows(operatorCall(context)))].filter(
    ([, count]) => count > 0,
  );
  const says = counts.map(([table, count]) => `${table} ${figure(count)}`).join(', ');
  return counts.length === 0
    ? [
        {
          name: 'rows',
          state: 'note',
          says: `Tenant ${context.config.tenantId} has none.`,
          action:
            context.config.server === null
              ? 'stdio and apply write the default profile by themselves; `init` does it now.'
              : '`init` writes the default profile, `apply` rows of your own.',
        },
      ]
    : [{ name: 'rows', state: 'ok', says }];
}

/** Whether what is derived of the tenant is what this program would make. */
async function indexChecks(context: Context, parts: Parts): Promise<readonly Check[]> {
  const operator = await parts.operator();
  const counted = await operator.reindex(operatorCall(context), { drop: false, vectors: false, dryRun: true });
  const { analysis, memories, missing, older, leftOver } = counted;
  if (memories === 0) return [];
  const checks: Check[] = [];
  const reindex = 'Run `context-assembly-memory reindex`; searches go on meanwhile.';
  const note = (says: string, action: string) => void checks.push({ name: 'index', state: 'note', says, action });
  if (older > 0) note(`${figure(older)} of ${figure(memories)} memories were indexed by an older analysis.`, reindex);
  if (missing > 0) note(`${figure(missing)} of ${figure(memories)} memories are not in the index.`, reindex);
  if (leftOver > 0) {
    const says = `${figure(leftOver)} vectors are by another embedder: a change is under way, or was given up.`;
    note(says, 'Run `context-assembly-memory reembed` with the embedder that is to stay.');
  }
  const says = `${figure(memories)} memories, version ${analysis} of the analysis`;
  return checks.length > 0 ? checks : [{ name: 'index', state: 'ok', says }];
}

async function policyChecks(context: Context, parts: Parts): Promise<readonly Check[]> {
  const store = await parts.store();
  const call = launchCall(context);
  const guidelines = await store.read(
    call.scope,
    { requestId: call.requestId, signal: context.signal, evaluationTime: null },
    async (reader) => reader.guidelines(),
  );
  if (guidelines.length === 0) return [];
  const { budget, retrieval } = policiesOf(guidelines);
  const { usableContext, toolReserve, maxRounds } = budget.budget;
  return [
    {
      name: 'budget',
      state: 'ok',
      says:
        `version ${budget.ref[2]}: usable_context ${figure(usableContext)}, tool_reserve ${figure(toolReserve)}, ` +
        `max_rounds ${maxRounds}`,
    },
    {
      name: 'retrieval policy',
      state: 'ok',
      says: retrieval.ref === null ? 'defaults' : `version ${retrieval.ref[2]}`,
    },
  ];
}

async function toolChecks(context: Context, parts: Parts): Promise<readonly Check[]> {
  const manager = await parts.manager();
  const listed = (await manager.listTools(launchCall(context))).map(({ name }) => name);
  const rows = await (await parts.store()).read(
    configuredScope(context),
    { requestId: context.requestId, signal: context.signal, evaluationTime: null },
    async (reader) => reader.tools(),
  );
  const broken = rows.flatMap((tool) => {
    const problem = toolProblem(tool);
    return problem === null ? [] : [`${tool.name}: ${problem}`];
  });
  const denied = rows
    .filter((tool) => toolProblem(tool) === null && !listed.includes(tool.name))
    .map(({ name }) => name);
  const checks: Check[] = [];
  if (rows.length > 0) {
    const state = listed.length === 0 ? 'wrong' : 'ok';
    checks.push({ name: 'tools', state, says: listed.join(', ') || 'This user may see none.' });
  }
  if (denied.length > 0)
    checks.push({ name: 'tools', state: 'note', says: `Not for this user: ${denied.join(', ')}.` });
  if (broken.length > 0) {
    const action = 'Write corrected rows with `apply`; until then hosts do not see them.';
    checks.push({ name: 'tools', state: 'wrong', says: `Broken: ${broken.join('; ')}.`, action });
  }
  return checks;
}
