// Every surface of the server, asked by one caller after another: each answer is held against the model, and answers on
// what is another's against the answers on what never was.

import { expect } from 'vitest';
import type { Manifest } from '../../src/model/manifest.ts';
import { blurred, unknown, type Answer, type Caller } from './http_caller.ts';
import { effective, isAdmitted, isSamePrincipal, isVisible, tenants, type Principal, type WorldRow } from './model.ts';
import { canariesFrom, historyOf, isCurrent, type Case, type OpenedWorld } from './opened_world.ts';

/** The surfaces, and what was seen of them. */
export interface Surfaces {
  /** One caller's visit to all of them. Fails where an answer is not what the model says. */
  visit(caller: Caller, made: Case): Promise<void>;
  /** Answers that were compared so far. */
  compared(): number;
}

/** What a caller left behind that is nobody else's business. */
interface Trace {
  readonly who: Principal;
  readonly manifest: string;
  readonly run: string;
  readonly citations: readonly string[];
  readonly session: string | null;
  readonly requestState: string | null;
}

interface State {
  readonly world: OpenedWorld;
  readonly traces: Trace[];
  /** Whose a manifest's or a run's id is. */
  readonly owners: Map<string, Principal>;
  /** Citation ids that were shown in a thread of a principal. */
  readonly issued: Map<string, Set<string>>;
  /** Lists that are the same for everybody. */
  readonly fixed: Map<string, unknown>;
  compared: number;
}

interface Visit {
  readonly state: State;
  readonly caller: Caller;
  readonly made: Case;
}

/** Surfaces of a world that nobody has asked yet. */
export function openSurfaces(world: OpenedWorld): Surfaces {
  const state: State = { world, traces: [], owners: new Map(), issued: new Map(), fixed: new Map(), compared: 0 };
  return {
    compared: () => state.compared,
    async visit(caller, made) {
      const visit = { state, caller, made };
      await lists(visit);
      await texts(visit);
      await hostile(visit);
      const { manifest, run, citations } = await window(visit);
      await searches(visit);
      await histories(visit);
      await links(visit);
      await lookups(visit);
      await expansion(visit, citations);
      await ownRecords(visit, { manifest, run });
      const requestState = await clarification(visit);
      const { who, session } = caller;
      await strangers(visit);
      state.traces.push({ who, manifest, run, citations, session, requestState });
    },
  };
}

const shownTo =
  (who: Principal) =>
  (row: WorldRow): boolean =>
    isCurrent(row) && isVisible(row, who);

/** Asks, and counts the answer as one that is compared. */
async function ask({ state, caller }: Visit, ...asked: Parameters<Caller['ask']>): Promise<Answer['result']> {
  state.compared += 1;
  const { status, text, result } = await caller.ask(...asked);
  expect({ status, text }).toMatchObject({ status: 200, text: expect.not.stringContaining('"error"') });
  return result;
}

async function lists(visit: Visit): Promise<void> {
  const { state, caller } = visit;
  const { who } = caller;
  const tools = state.world.canariesOf('tools', await ask(visit, 'tools/list'), shownTo(who));
  const rows = effective(state.world.rows, 'toolbox', who).filter((row) => isAdmitted(row, who));
  expect(tools).toEqual(canariesFrom(rows));
  for (const method of ['prompts/list', 'resources/templates/list']) {
    const result = await ask(visit, method);
    const known = `${method} ${caller.session === null}`;
    if (!state.fixed.has(known)) state.fixed.set(known, result);
    expect(result).toEqual(state.fixed.get(known));
  }
}

const textOf = (result: Answer['result']) =>
  (result['contents'] as readonly { readonly text: string }[]).map(({ text }) => text).join('');

async function texts(visit: Visit): Promise<void> {
  const { state, caller } = visit;
  const { world } = state;
  for (const [uri, type] of [
    ['memory://guidelines', 'guideline'],
    ['memory://persona', 'persona'],
  ] as const) {
    const found = world.canariesOf(uri, textOf(await ask(visit, 'resources/read', { uri })), shownTo(caller.who));
    expect(found).toEqual(canariesFrom(effective(world.rows, type, caller.who)));
  }
}

/** Whatever a request says of tenants and users beside its token changes no byte of the answer. */
async function hostile(visit: Visit): Promise<void> {
  const { state, caller } = visit;
  const tenant = tenants.find((name) => name !== caller.who.tenant) ?? 'acme';
  // A header holds no other letters; the name of a tenant that has some is still told, as a URL would.
  const told = encodeURIComponent(tenant);
  const headers = {
    'x-tenant-id': told,
    'x-user-id': 'jane',
    'x-forwarded-user': 'jane',
    'x-roles': 'admin',
    tenant: told,
  };
  const query = `?tenant=${told}&tenant_id=${told}&user=jane&sub=jane&roles=admin`;
  const meta = { tenant_id: tenant, user_id: 'jane', roles: ['admin'], 'context-assembly-memory/tenant_id': tenant };
  for (const [method, params] of [
    ['tools/list', {}],
    ['resources/read', { uri: 'memory://persona' }],
  ] as const) {
    state.compared += 1;
    const plain = blurred(await caller.ask(method, params));
    expect(blurred(await caller.ask(method, params, { headers, query, meta }))).toBe(plain);
  }
}

interface Opened {
  readonly manifest: string;
  readonly run: string;
  readonly citations: readonly string[];
}

async function window(visit: Visit): Promise<Opened> {
  const { state, caller, made } = visit;
  const { world } = state;
  const { who } = caller;
  const question = world.questionOn(world.wantedRows(made));
  const result = await ask(visit, 'prompts/get', { name: 'context_window', arguments: { question } });
  const found = world.canariesOf('prompt', result, shownTo(who));
  const turns = world.rows.filter((row) => row.type === 'conversation' && shownTo(who)(row));
  const newest = turns.filter(({ agent, thread }) => agent === who.agent && thread === who.thread).at(-1);
  if (newest !== undefined) expect(found, 'the newest turn of the thread').toContain(newest.canary);
  const [, run = '', manifest = ''] = /run (\S+), manifest ([^;]+);/.exec(String(result['description'])) ?? [];
  claim(visit, manifest);
  claim(visit, run);
  const citations = [...JSON.stringify(result).matchAll(/<memory id=\\"(B[0-9a-f]{10})/g)].map(([, id = '']) => id);
  issue(visit, citations);
  return { manifest, run, citations };
}

/** An id belongs to whoever saw it first, and nobody else ever sees it. */
function claim({ state, caller }: Visit, id: string): void {
  expect(id).toMatch(/^\w+_[0-9a-f]{32}$/);
  const owner = state.owners.get(id) ?? caller.who;
  expect(isSamePrincipal(owner, caller.who), `${id} is ${JSON.stringify(owner)}'s`).toBe(true);
  state.owners.set(id, owner);
}

const threadKey = ({ tenant, user, agent, thread }: Principal) => JSON.stringify([tenant, user, agent, thread]);

function issue({ state, caller }: Visit, ids: readonly string[]): void {
  const known = state.issued.get(threadKey(caller.who)) ?? new Set();
  state.issued.set(threadKey(caller.who), known);
  for (const id of ids) known.add(id);
}

interface ToolAnswer {
  readonly memories: readonly { readonly id: string; readonly content: string; readonly status: string }[];
}

async function call(visit: Visit, tool: string, args: object): Promise<ToolAnswer> {
  const result = await ask(visit, 'tools/call', { name: tool, arguments: args });
  const { structuredContent, content } = result as {
    readonly structuredContent: ToolAnswer;
    readonly content: readonly { readonly text: string }[];
  };
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  issue(
    visit,
    structuredContent.memories.map(({ id }) => id),
  );
  return structuredContent;
}

async function searches(visit: Visit): Promise<void> {
  const { state, caller, made } = visit;
  const { world } = state;
  const visible = world.rows.filter((row) => row.type === 'chunk' && shownTo(caller.who)(row));
  const mine = world.rowAt(made.own, visible);
  const query = world.questionOn([...world.wantedRows(made), ...(mine === undefined ? [] : [mine])]);
  const answer = await call(visit, 'search_memory', { query, limit: 25 });
  const found = world.canariesOf('search', answer, shownTo(caller.who));
  if (mine !== undefined) expect(found, `asked ${query}`).toContain(mine.canary);
}

async function histories(visit: Visit): Promise<void> {
  const { caller, made } = visit;
  const { world } = visit.state;
  const mine = world.rowAt(made.own, historyOf(world, caller.who));
  const query = world.questionOn([...world.wantedRows(made), ...(mine === undefined ? [] : [mine])]);
  const answer = await call(visit, 'search_history', { query, limit: 25 });
  const found = world.canariesOf('history', answer, shownTo(caller.who));
  // The visit's window shows the newest turns of the thread, and they are not repeated.
  if (mine !== undefined && mine.thread !== caller.who.thread) expect(found, `asked ${query}`).toContain(mine.canary);
}

/** The same passages in the shapes of another host: links, and the text behind one of them. */
async function links(visit: Visit): Promise<void> {
  const { caller, made } = visit;
  const { world } = visit.state;
  const query = world.questionOn(world.wantedRows(made));
  const found = (await ask(visit, 'tools/call', { name: 'search', arguments: { query } })) as {
    readonly structuredContent: { readonly results: readonly { readonly id: string }[] };
  };
  world.canariesOf('search', found, shownTo(caller.who));
  const { results } = found.structuredContent;
  issue(
    visit,
    results.map(({ id }) => id),
  );
  const [first] = results;
  if (first === undefined) return;
  const fetched = await ask(visit, 'tools/call', { name: 'fetch', arguments: { id: first.id } });
  world.canariesOf('fetch', fetched, shownTo(caller.who));
}

async function lookups(visit: Visit): Promise<void> {
  const { state, caller, made } = visit;
  const { world } = state;
  const { who } = caller;
  for (const { subject, predicate, conditions } of world.wantedClaims(made)) {
    const answer = await call(visit, 'lookup_entity', { subject, predicate, conditions: conditions ?? {} });
    world.canariesOf('lookup', answer, (row) => row.state !== 'hidden' && isVisible(row, who));
  }
  const mine = world.rowAt(made.own, effective(world.rows, 'entity', who));
  if (mine?.claim === undefined || mine.claim === null) return;
  const { conditions, ...claimed } = mine.claim;
  const { memories } = await call(visit, 'lookup_entity', {
    ...claimed,
    ...(conditions === null ? {} : { conditions }),
  });
  const at = memories.findIndex(({ content }) => content.includes(mine.canary));
  expect(at, `${JSON.stringify(mine)} in ${JSON.stringify(memories)}`).toBeGreaterThanOrEqual(0);
  expect(memories.slice(0, at + 1).every(({ status }) => status === 'current')).toBe(true);
}

async function expansion(visit: Visit, citations: readonly string[]): Promise<void> {
  const [id] = citations;
  if (id === undefined) return;
  const answer = await call(visit, 'expand', { memory_id: id });
  visit.state.world.canariesOf('expand', answer, shownTo(visit.caller.who));
  expect(answer.memories.map((memory) => memory.id)).toEqual([id]);
}

/** The own manifests and runs: listed, completed and read; and none but the own. */
async function ownRecords(visit: Visit, own: { readonly manifest: string; readonly run: string }): Promise<void> {
  const { state, caller } = visit;
  const { who } = caller;
  const { world } = state;
  const listed = (await ask(visit, 'resources/list'))['resources'] as readonly { readonly uri: string }[];
  const ids = listed.flatMap(({ uri }) => uri.match(/^memory:\/\/manifests\/(.+)$/)?.[1] ?? []);
  for (const id of ids) claim(visit, id);
  for (const [uri, name, id] of [
    ['memory://manifests/{id}', 'id', own.manifest],
    ['memory://windows/{run}', 'run', own.run],
  ] as const) {
    const values = await completed(visit, uri, { name, value: '' });
    for (const value of values) claim(visit, value);
    expect(values).toContain(id);
  }
  const ofOwn = (row: WorldRow) => row.state !== 'hidden' && isVisible(row, who);
  const manifest = JSON.parse(
    textOf(await ask(visit, 'resources/read', { uri: `memory://manifests/${own.manifest}` })),
  );
  expect((manifest as Manifest).run_id).toBe(own.run);
  world.canariesOf('manifest', manifest, ofOwn);
  world.expectOwnRefs(manifest, who);
  const rounds = JSON.parse(textOf(await ask(visit, 'resources/read', { uri: `memory://windows/${own.run}` })));
  world.canariesOf('run', rounds, ofOwn);
  for (const round of rounds as readonly { readonly manifest: Manifest }[]) world.expectOwnRefs(round.manifest, who);
}

async function completed(visit: Visit, uri: string, argument: object): Promise<readonly string[]> {
  const result = await ask(visit, 'completion/complete', { ref: { type: 'ref/resource', uri }, argument });
  return (result['completion'] as { readonly values: readonly string[] }).values;
}

/** A question to the person; in the newer era it leaves sealed state behind. */
async function clarification(visit: Visit): Promise<string | null> {
  const result = await ask(visit, 'tools/call', { name: 'clarify', arguments: clarifyArguments });
  visit.state.world.canariesOf('clarify', result, () => false);
  return visit.caller.session === null ? String(result['requestState']) : null;
}

const clarifyArguments = { question: 'Which one?', options: ['this', 'that'] };

/** What another principal left behind is to this one as if it had never been. */
async function strangers(visit: Visit): Promise<void> {
  const { state, caller } = visit;
  const others = state.traces.filter(({ who }) => !isSamePrincipal(who, caller.who)).toReversed();
  const own = state.issued.get(threadKey(caller.who)) ?? new Set();
  const same = async (name: string, other: string, asking: (id: string) => Promise<Answer>) => {
    state.compared += 1;
    const [ofTheirs, ofNothing] = [await asking(name), await asking(other)];
    expect(blurred(ofTheirs, name), `of ${name}`).toBe(blurred(ofNothing, other));
    expect(ofTheirs.status === 200 ? ofTheirs.text : '"error"').toMatch(/"error"|isError|"values":\[\]/);
  };
  const [last] = others;
  if (last === undefined) return;
  const read = (form: string) => (id: string) => caller.ask('resources/read', { uri: `${form}${id}` });
  await same(last.manifest, unknown.like(last.manifest), read('memory://manifests/'));
  await same(last.run, unknown.like(last.run), read('memory://windows/'));
  await same(last.manifest, unknown.like(last.manifest), (value) =>
    caller.ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'memory://manifests/{id}' },
      argument: { name: 'id', value },
    }),
  );
  const citation = others.flatMap(({ citations }) => citations).find((id) => !own.has(id));
  if (citation !== undefined) {
    await same(citation, unknown.citation(), (id) =>
      caller.ask('tools/call', { name: 'expand', arguments: { memory_id: id } }),
    );
  }
  const session = others.find((trace) => trace.session !== null)?.session;
  if (session !== undefined && session !== null) await same(session, unknown.session(), (id) => caller.askIn(id));
  const sealed = others.find(({ requestState }) => requestState !== null)?.requestState;
  if (sealed === undefined || sealed === null || caller.session !== null) return;
  await same(sealed, `${sealed.slice(0, -8)}AAAAAAAA`, (requestState) => {
    const inputResponses = { answer: { action: 'accept', content: { answer: 'that' } } };
    return caller.ask('tools/call', { name: 'clarify', arguments: clarifyArguments, requestState, inputResponses });
  });
}
