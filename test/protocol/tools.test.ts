// Tools over MCP in both eras: listed from rows, called under the caller's scope, answered in one shape.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryError } from '../../src/model/errors.ts';
import { rowId } from '../../src/model/ids.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { NewTool } from '../../src/store/written_rows.ts';
import { jane, keptLog, openFixture, operatorCall, scopeOf, type Fixture } from '../fixture.ts';
import {
  contentOf,
  eras,
  failureOf,
  linkHost,
  memoriesOf,
  rejectionOf,
  until,
  type Era,
  type Host,
  type LinkOptions,
} from './harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

async function hostOf(era: Era, scope: Scope = jane, more: Partial<LinkOptions> = {}): Promise<Host> {
  const host = await linkHost({ era, manager: fixture.manager, scope, ...more });
  hosts.push(host);
  return host;
}

let threads = 0;
/** Jane in a thread that no other test uses, so that no loop is spent by another. */
const freshJane = () => scopeOf({ thread: `tools-${(threads += 1)}` });

interface Listed {
  readonly tools: readonly {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
    readonly outputSchema: Readonly<Record<string, unknown>>;
    readonly annotations: Readonly<Record<string, unknown>>;
  }[];
  readonly nextCursor?: string;
}

const namesOf = async (host: Host) => (await host.request<Listed>('tools/list')).tools.map(({ name }) => name);

const fourTools = ['clarify', 'expand', 'lookup_entity', 'search_memory'];

/** A row of the toolbox as `apply` takes it. */
function toolRow(name: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    tool_name: name,
    tool_schema: {
      title: `Tool ${name}`,
      type: 'object',
      properties: { query: { type: 'string', minLength: 1 }, limit: { type: 'integer', minimum: 1, maximum: 25 } },
      required: ['query'],
      additionalProperties: false,
    },
    tool_handler: 'search_memory',
    access_policy: {},
    usage_notes: 'Finds passages.',
    ...more,
  };
}

const applyTools = (tenant: string, ...rows: readonly object[]) =>
  fixture.operator.apply(operatorCall(tenant), 'tools.json', { toolbox: rows });

/** Writes a row as a hand at the database would: nothing checks it. */
async function writeUnchecked(tool: Partial<NewTool> & { readonly name: string }): Promise<void> {
  const call = operatorCall('acme');
  const row: NewTool = {
    type: 'toolbox',
    id: rowId(`unchecked_${tool.name.replace(/\W/g, '_')}`),
    userId: null,
    agentId: null,
    threadId: null,
    validFrom: null,
    validUntil: null,
    createdAt: null,
    writtenBy: 'test',
    trust: 'verified',
    sourceEventId: null,
    version: 1,
    supersededBy: null,
    schema: { type: 'object', properties: {} },
    handler: 'search_memory',
    accessPolicy: {},
    usageNotes: 'Unchecked.',
    ...tool,
  };
  await fixture.store.operate(call.scope, { requestId: call.requestId }, (writer) => writer.putVersion(row, 0, []));
}

describe.each(eras)('the tool list (%s era)', (era) => {
  it('[T2] is the active rows of the caller, in one order, with what belongs to the handlers', async () => {
    // No other test adds tools to this tenant.
    const host = await hostOf(era, scopeOf({ tenant: 'globex' }));
    const { tools } = await host.request<Listed>('tools/list');
    expect(tools.map(({ name }) => name)).toEqual(fourTools);
    for (const tool of tools) {
      expect(tool.title).not.toBe('');
      expect(tool.description).not.toBe('');
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      expect(Object.keys(tool.annotations).toSorted()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
        'title',
      ]);
    }
    expect(await host.request('tools/list')).toEqual(await host.request('tools/list'));
  });

  it('[T2] lacks a tool that is denied by role, user or agent, and calling it is calling nothing', async () => {
    await applyTools(
      'acme',
      toolRow(`for_auditors_${era}`, { access_policy: { roles: ['auditor'] } }),
      toolRow(`for_sam_${era}`, { access_policy: { users: ['sam'] } }),
      toolRow(`for_another_agent_${era}`, { access_policy: { agents: ['another'] } }),
      toolRow(`for_jane_${era}`, { access_policy: { roles: ['auditor', 'researcher'], users: ['jane'] } }),
    );
    const mine = await namesOf(await hostOf(era));
    expect(mine).toContain(`for_jane_${era}`);
    for (const denied of ['for_auditors', 'for_sam', 'for_another_agent'])
      expect(mine).not.toContain(`${denied}_${era}`);
    const auditor = await namesOf(await hostOf(era, scopeOf({ roles: ['auditor'] })));
    expect(auditor).toContain(`for_auditors_${era}`);
    const host = await hostOf(era);
    const denied = await rejectionOf(host.call(`for_auditors_${era}`, { query: 'Helios' }));
    const absent = await rejectionOf(host.call(`no_such_tool_${era}`, { query: 'Helios' }));
    expect(denied.code).toBe(absent.code);
    expect(denied.message.replace('for_auditors', 'no_such_tool')).toBe(absent.message);
  });

  it('[T2] lists a tool that lacks only an OAuth scope, and a call of it is refused', async () => {
    await applyTools('acme', toolRow(`needs_scope_${era}`, { access_policy: { scopes: ['memory:write'] } }));
    const host = await hostOf(era, { ...freshJane(), oauthScopes: ['memory:read'] });
    expect(await namesOf(host)).toContain(`needs_scope_${era}`);
    expect(failureOf(await host.call(`needs_scope_${era}`, { query: 'Helios' })).code).toBe('tool_denied');
    const full = await hostOf(era, { ...freshJane(), oauthScopes: ['memory:write'] });
    expect((await full.call(`needs_scope_${era}`, { query: 'Helios' })).isError).not.toBe(true);
  });

  it('[T3] gains a tool with a row, without a restart, and tells the clients of that tenant alone', async () => {
    const mine = await hostOf(era);
    const foreign = await hostOf(era, scopeOf({ tenant: 'globex', user: 'jane' }));
    await namesOf(mine);
    await namesOf(foreign);
    const name = `find_passages_${era}`;
    await applyTools('acme', toolRow(name));
    await until(() => mine.changes() > 0);
    expect(await namesOf(mine)).toContain(name);
    const answer = await mine.call(name, { query: 'eviction' }, { thread: `new-tool-${era}` });
    expect(memoriesOf(answer).length).toBeGreaterThan(0);
    expect(await namesOf(foreign)).not.toContain(name);
    expect(foreign.changes()).toBe(0);
  });

  it('[T3] reads the row of each call again', async () => {
    const name = `changing_${era}`;
    await applyTools('acme', toolRow(name));
    const host = await hostOf(era, freshJane());
    expect(memoriesOf(await host.call(name, { query: 'eviction' })).length).toBeGreaterThan(0);
    await applyTools('acme', toolRow(name, { access_policy: { roles: ['nobody'] } }));
    expect((await rejectionOf(host.call(name, { query: 'eviction' }))).code).toBe(-32602);
  });
});

describe('broken rows', () => {
  it('[T2] are logged and left out, and all others stay (peers row 17)', async () => {
    await writeUnchecked({ name: 'unknown_handler', handler: 'drop_everything' });
    await writeUnchecked({ name: 'array_schema', schema: { type: 'array' } });
    await writeUnchecked({ name: 'outer_reference', schema: { type: 'object', $ref: 'https://example.com/a.json' } });
    await writeUnchecked({ name: 'no such name!' });
    await writeUnchecked({ name: 'invalid_schema', schema: { type: 'object', properties: { a: { type: 'strin' } } } });
    for (const era of eras) {
      const names = await namesOf(await hostOf(era));
      for (const good of fourTools) expect(names).toContain(good);
      for (const bad of ['unknown_handler', 'array_schema', 'outer_reference', 'no such name!', 'invalid_schema']) {
        expect(names).not.toContain(bad);
        expect((await rejectionOf((await hostOf(era)).call(bad))).code).toBe(-32602);
      }
    }
    expect(fixture.log.lines.some(({ message }) => message.includes('toolbox row'))).toBe(true);
  });
});

describe.each(eras)('arguments (%s era)', (era) => {
  it.each([
    ['no coercion', 'search_memory', { query: 'eviction', limit: '3' }],
    ['a missing argument', 'search_memory', {}],
    ['an additional one', 'search_memory', { query: 'eviction', verbose: true }],
    ['out of range', 'search_memory', { query: 'eviction', limit: 26 }],
    ['a wrong type', 'lookup_entity', { subject: 1, predicate: 'beir_ndcg10' }],
    ['a malformed id', 'expand', { memory_id: 'B123' }],
  ])('[T2] are checked against the row: %s', async (_, tool, args) => {
    const host = await hostOf(era, freshJane());
    const failure = failureOf(await host.call(tool, args));
    expect(failure.code).toBe('invalid_argument');
    expect(Object.keys(failure).toSorted()).toEqual(['action', 'code', 'message', 'request_id']);
  });

  it.each(['tenant_id', 'tenantId', 'user_id', 'scope', 'agent_id'])(
    '[I2] cannot name a principal: %s (peers rows 3 and 5)',
    async (field) => {
      const host = await hostOf(era, freshJane());
      for (const [tool, args] of [
        ['search_memory', { query: 'eviction' }],
        ['lookup_entity', { subject: 'model:helios-rag', predicate: 'beir_ndcg10' }],
        ['clarify', { question: 'Which one?' }],
      ] as const) {
        expect(failureOf(await host.call(tool, { ...args, [field]: 'globex' })).code).toBe('invalid_argument');
      }
    },
  );

  it('[T6] are refused above 64 KB, and the server lives on', async () => {
    const host = await hostOf(era, freshJane());
    const failure = failureOf(await host.call('search_memory', { query: 'x'.repeat(66_000) }));
    expect(failure.code).toBe('invalid_argument');
    expect(failure.message).not.toContain('xxx');
    const wide = Object.fromEntries(Array.from({ length: 9_000 }, (_, place) => [`field_${place}`, place]));
    expect(failureOf(await host.call('search_memory', wide)).code).toBe('invalid_argument');
    expect(memoriesOf(await host.call('search_memory', { query: 'eviction' })).length).toBeGreaterThan(0);
  });
});

describe.each(eras)('results (%s era)', (era) => {
  it('[T4,T5] of search_memory: passages with id, tier, provenance and what is left of the loop', async () => {
    const host = await hostOf(era, freshJane());
    const answer = await host.call('search_memory', { query: 'How does Letta evict memory?', limit: 2 });
    const content = contentOf(answer);
    expect(answer.structuredContent).toEqual(JSON.parse(answer.content[0]!.text));
    expect(Object.keys(content).toSorted()).toEqual(['evidence', 'loop', 'memories', 'more', 'notes']);
    const memories = memoriesOf(answer);
    expect(memories.length).toBeGreaterThan(0);
    expect(memories.length).toBeLessThanOrEqual(2);
    for (const memory of memories) {
      expect(memory).toMatchObject({ type: 'chunk', status: 'evidence', id: expect.stringMatching(/^B[0-9a-f]{10}$/) });
      expect(Object.keys(memory.provenance).toSorted()).toEqual(['date', 'source', 'title', 'version']);
    }
    expect(content.evidence).toMatch(/^(found|weak)$/);
    expect(content.loop).toMatchObject({ tokens_left: expect.any(Number), rounds_left: expect.any(Number) });
    expect(JSON.stringify(answer)).not.toContain('canary');
  });

  it('[T4,T5] of lookup_entity: the current version first, history labelled', async () => {
    const host = await hostOf(era, freshJane());
    const answer = await host.call('lookup_entity', { subject: 'model:helios-rag', predicate: 'beir_ndcg10' });
    const [current, ...history] = memoriesOf(answer);
    expect(current).toMatchObject({ status: 'current' });
    expect(current?.content).toContain('0.78');
    expect(history.length).toBeGreaterThan(0);
    for (const older of history) expect(older.status).toBe('historical');
  });

  it('[T4] of expand: only what this run has shown, and more of it', async () => {
    const host = await hostOf(era, freshJane());
    const found = memoriesOf(await host.call('search_memory', { query: 'eviction', limit: 1 }))[0]!;
    const expanded = memoriesOf(await host.call('expand', { memory_id: found.id }));
    expect(expanded[0]?.id).toBe(found.id);
    expect(failureOf(await host.call('expand', { memory_id: 'B0123456789' })).code).toBe('not_issued');
  });

  it('[I2] of a thread that another principal also names are that principal’s own', async () => {
    const thread = `shared-name-${era}`;
    const mine = await hostOf(era, jane);
    const found = memoriesOf(await mine.call('search_memory', { query: 'eviction', limit: 1 }, { thread }))[0]!;
    // In the same thread of the same principal the id is issued; in another one's thread of that name it is not.
    expect(memoriesOf(await mine.call('expand', { memory_id: found.id }, { thread }))).toHaveLength(1);
    for (const scope of [scopeOf({ user: 'sam' }), scopeOf({ agent: null }), scopeOf({ tenant: 'globex' })]) {
      const other = await hostOf(era, scope);
      expect(failureOf(await other.call('expand', { memory_id: found.id }, { thread })).code).toBe('not_issued');
    }
    expect(failureOf(await mine.call('expand', { memory_id: found.id }, { thread: `${thread}-2` })).code).toBe(
      'not_issued',
    );
  });

  it('[I2] are refused for a thread id that cannot be one', async () => {
    const host = await hostOf(era, freshJane());
    for (const thread of ['', 'a\u0000b', 'x'.repeat(256)]) {
      expect(failureOf(await host.call('search_memory', { query: 'eviction' }, { thread })).code).toBe(
        'invalid_argument',
      );
    }
  });

  it('name the host that asked, in the call’s record', async () => {
    const scope = freshJane();
    const host = await hostOf(era, scope);
    await host.call('search_memory', { query: 'eviction', limit: 1 });
    const [latest] = await fixture.manager.recentManifests({ scope, requestId: 'test', client: null }, 1);
    expect(latest?.manifest.client).toEqual({ name: 'test-host', version: '1.2.3' });
  });
});

async function lockedStore(): Promise<never> {
  throw new MemoryError('store_locked', 'Another process holds the data folder.');
}

describe.each(eras)('failures (%s era)', (era) => {
  it('[T6] of an unknown tool are the protocol’s, with the same object in data', async () => {
    const host = await hostOf(era, freshJane());
    const rejection = await rejectionOf(host.call('no_such_tool'));
    expect(rejection.code).toBe(-32602);
    expect(rejection.data).toMatchObject({
      error: { code: 'unknown_tool', action: expect.any(String), request_id: expect.any(String) },
    });
  });

  it('[T6] that nobody foresaw tell nothing of their inside, and the log has it under the request id', async () => {
    const log = keptLog();
    const broken = {
      ...fixture.manager,
      callTool: async () => {
        throw new Error('relation "mem.chunk" does not exist at /srv/app/store.ts:12');
      },
    };
    const host = await hostOf(era, freshJane(), { manager: broken, log });
    const failure = failureOf(await host.call('search_memory', { query: 'eviction' }));
    expect(failure.code).toBe('internal');
    expect(JSON.stringify(failure)).not.toMatch(/relation|mem\.chunk|srv|\.ts/);
    const line = log.lines.find(({ level }) => level === 'error');
    expect(line?.detail).toMatchObject({ requestId: failure.request_id });
    expect(String((line?.detail as { error?: unknown } | undefined)?.error)).toContain('mem.chunk');
  });

  it('[T6] of a store that did not open are coded in every request', async () => {
    const host = await hostOf(era, jane, { manager: lockedStore });
    expect(failureOf(await host.call('search_memory', { query: 'eviction' })).code).toBe('store_locked');
    for (const method of ['tools/list', 'resources/list']) {
      const rejection = await rejectionOf(host.request(method));
      expect(rejection.code).toBe(-32603);
      expect(rejection.data).toMatchObject({ error: { code: 'store_locked' } });
    }
  });

  it('[T6] of a tenant without policy name what is missing', async () => {
    const host = await hostOf(era, scopeOf({ tenant: 'never-heard-of' }));
    const rejection = await rejectionOf(
      host.request('prompts/get', { name: 'context_window', arguments: { question: 'What is current?' } }),
    );
    expect(rejection.data).toMatchObject({
      error: { code: expect.stringMatching(/^(policy_missing|tenant_not_initialised)$/) },
    });
  });
});
