// Calls that go wrong, and calls that race: a coded error, an event, and nothing half written.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Asked, AskUser } from '../../src/manager/manager.ts';
import { canonicalHash, sha256Hex } from '../../src/assembly/hash.ts';
import { callAs, type Fixture, openFixture, operatorCall, scopeOf } from '../fixture.ts';

const nobody: AskUser = async () => ({ outcome: 'unsupported' });
const lookup = { subject: 'model:helios-rag', predicate: 'beir_ndcg10' };

let fixture: Fixture;
let thread = 0;

beforeAll(async () => {
  fixture = await openFixture({ seeds: ['acme_policy.json', 'acme_memory.json'].concat(corpora) });
});
const corpora = ['corpus_research.json', 'corpus_platform.json'];

afterAll(async () => {
  await fixture.close();
});

beforeEach(() => {
  thread += 1;
});

const scope = () => scopeOf({ thread: `calls-${thread}` });

async function failure(tool: string, args: unknown): Promise<{ code: string; message: string }> {
  try {
    await fixture.manager.callTool(callAs(scope()), tool, args, nobody);
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error(`${tool} did not fail`);
}

describe('refused calls', () => {
  it('[T2] arguments are not coerced, and one that the row does not know is refused by name', async () => {
    expect(await failure('search_memory', { query: 'x', limit: '3' })).toMatchObject({ code: 'invalid_argument' });
    const unknown = await failure('search_memory', { query: 'x', tenant_id: 'globex' });
    expect(unknown).toMatchObject({ code: 'invalid_argument' });
    expect(unknown.message).toContain('tenant_id');
  });

  it('[T2,L3] an unknown tool, an id of the wrong form and an id never issued each have their code', async () => {
    expect(await failure('drop_everything', {})).toMatchObject({ code: 'unknown_tool' });
    expect(await failure('expand', { memory_id: 'robert' })).toMatchObject({ code: 'invalid_argument' });
    expect(await failure('expand', { memory_id: 'B0123456789' })).toMatchObject({ code: 'not_issued' });
  });

  it('[L5] a refused call is an event with the hash and size of its arguments, never the arguments', async () => {
    const args = { query: 'where is the treasure', tenant_id: 'globex' };
    await failure('search_memory', args);
    const events = await fixture.store.read(scope(), { requestId: 'r', evaluationTime: null }, (reader) =>
      reader.recentEvents(['tool_call'], 5),
    );
    expect(events.map(({ payload }) => payload)).toMatchObject([
      { tool: 'search_memory', outcome: 'invalid', arguments: null, arguments_hash: canonicalHash(args) },
    ]);
    expect(JSON.stringify(events)).not.toContain('treasure');
  });
});

describe('racing calls', () => {
  it('[L1] parallel calls of one loop each spend their own round and never more tokens than there are', async () => {
    const calls = await Promise.all(
      Array.from({ length: 4 }, () => fixture.manager.callTool(callAs(scope()), 'lookup_entity', lookup, nobody)),
    );
    const rounds = calls.map((call) => (call.kind === 'memory' ? call.content.loop.rounds_left : -1));
    expect(rounds.toSorted((a, b) => b - a)).toEqual([19, 18, 17, 16]);
  });
});

describe('clarify', () => {
  const ask = (asked: Asked) => async () => asked;

  it('[L4] an answer is returned and kept as an event of the thread', async () => {
    const outcome = await fixture.manager.callTool(
      callAs(scope()),
      'clarify',
      { question: 'Which workload do you mean?', options: ['research', 'support search'] },
      ask({ outcome: 'answered', answer: 'research' }),
    );
    expect(outcome).toMatchObject({ kind: 'clarify', content: { status: 'answered', answer: 'research' } });
  });

  it('[L4] without a user to ask, the question goes back to the agent', async () => {
    for (const outcome of ['unsupported', 'late'] as const) {
      const given = await fixture.manager.callTool(
        callAs(scope()),
        'clarify',
        { question: 'Which workload do you mean?' },
        ask({ outcome }),
      );
      expect(given).toMatchObject({ kind: 'clarify', content: { status: 'ask_in_reply', answer: null } });
    }
  });

  it('[L4] a question that asks for a secret is refused before anybody is asked', async () => {
    let asked = 0;
    const spy: AskUser = async () => {
      asked += 1;
      return { outcome: 'declined' };
    };
    const call = fixture.manager.callTool(callAs(scope()), 'clarify', { question: 'What is your password?' }, spy);
    await expect(call).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(asked).toBe(0);
  });
});

describe('turns', () => {
  it('[D5,S3] turns are numbered from 1, and an answer mentions what it cites in its run', async () => {
    const call = callAs(scope());
    const window = await fixture.manager.assembleWindow(call, {
      question: 'What is the BEIR score of Helios-RAG?',
      intent: null,
      at: null,
      model: null,
    });
    const cited = window.seated[0];
    if (cited === undefined) throw new Error('the window is empty');
    await fixture.manager.recordTurn(call, { role: 'user', text: 'What is the score?', runId: window.runId });
    const answer = await fixture.manager.recordTurn(call, {
      role: 'assistant',
      text: `It is 0.78 [${cited.id}] and not [B0000000000].`,
      runId: window.runId,
    });
    expect(answer.turnIndex).toBe(2);
    const edges = await fixture.store.read(scope(), { requestId: 'r', evaluationTime: null }, (reader) =>
      reader.provenance([['conversation', answer.eventId, 1]]),
    );
    expect(edges.map(({ source }) => source)).toContainEqual(cited.memory.ref);
    expect(edges.filter(({ relation }) => relation === 'mentions')).toHaveLength(1);
  });

  it('[D8] a turn that holds a credential is refused with the rule, never the value', async () => {
    const token = ['ghp', sha256Hex('not a token').slice(0, 36)].join('_');
    const call = fixture.manager.recordTurn(callAs(scope()), { role: 'user', text: `use ${token}`, runId: null });
    await expect(call).rejects.toMatchObject({ code: 'secret_refused' });
    await call.catch((error: Error) => {
      expect(error.message).not.toContain(token);
    });
  });
});

describe('policies', () => {
  it('[B1] a tenant without a budget is told so, and the process goes on', async () => {
    const empty = scopeOf({ tenant: 'no-such-tenant' });
    const window = fixture.manager.assembleWindow(callAs(empty), {
      question: 'Hello?',
      intent: null,
      at: null,
      model: null,
    });
    await expect(window).rejects.toMatchObject({ code: 'policy_missing' });
  });

  it('[B1] a broken budget row is refused when it is written, by the name of its field', async () => {
    const file = { guidelines: [{ guideline_key: 'context_budget', guideline_value: { usable_context: 'lots' } }] };
    const applied = fixture.operator.apply(operatorCall('acme'), 'budget.json', file);
    await expect(applied).rejects.toMatchObject({ code: 'policy_invalid' });
  });
});

describe('tool rows', () => {
  const tool = (more: object) => ({
    toolbox: [
      { tool_name: 'look', tool_schema: { type: 'object' }, tool_handler: 'search_memory', usage_notes: 'x', ...more },
    ],
  });

  it('[T2,D7] an access policy with an unknown key, and a handler that is not ours, are refused when written', async () => {
    const applied = fixture.operator.apply(
      operatorCall('acme'),
      'tools.json',
      tool({ access_policy: { role: ['x'] } }),
    );
    await expect(applied).rejects.toMatchObject({ code: 'invalid_seed' });
    await applied.catch((error: Error) => {
      expect(error.message).toContain('access_policy');
    });
    const foreign = fixture.operator.apply(operatorCall('acme'), 'tools.json', tool({ tool_handler: 'run_sql' }));
    await expect(foreign).rejects.toMatchObject({ code: 'invalid_seed' });
  });

  it('[T3] a row with a new name for an allowed handler makes a new tool, and a version of it replaces it', async () => {
    const call = callAs(scope());
    const changes: number[] = [];
    const stop = fixture.manager.watchTools(call.scope.tenantId, () => changes.push(1));
    await fixture.operator.apply(
      operatorCall('acme'),
      'tools.json',
      tool({ access_policy: { roles: ['researcher'] } }),
    );
    expect((await fixture.manager.listTools(call)).map(({ name }) => name)).toContain('look');
    const other = callAs(scopeOf({ thread: 'x', roles: [] }));
    expect((await fixture.manager.listTools(other)).map(({ name }) => name)).not.toContain('look');
    await fixture.operator.apply(operatorCall('acme'), 'tools.json', tool({ usage_notes: 'y' }));
    const changed = (await fixture.manager.listTools(call)).find(({ name }) => name === 'look');
    expect(changed?.description).toBe('y');
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop();
    expect(changes.length).toBeGreaterThanOrEqual(2);
  });
});
