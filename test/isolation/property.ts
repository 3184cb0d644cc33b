// Isolation as a property: whoever asks for whatever, every read surface shows what the model's few rules allow.
// ISOLATION_CASES sets how many callers ask (default 60); the seed is fixed, so a failure comes again.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskUser, ToolOutcome } from '../../src/manager/manager.ts';
import { MemoryError } from '../../src/model/errors.ts';
import { rowId, runId } from '../../src/model/ids.ts';
import type { Manifest } from '../../src/model/manifest.ts';
import { callAs, operatorCall, scopeOf, type Fixture } from '../fixture.ts';
import {
  effective,
  isAdmitted,
  isSamePrincipal,
  isVisible,
  isVisibleInSomeThread,
  tenants,
  type Principal,
  type WorldRow,
} from './model.ts';
import {
  asking,
  canariesFrom,
  historyOf,
  isCurrent,
  openWorld,
  seed,
  type Case,
  type OpenedWorld,
} from './opened_world.ts';

const cases = Number(process.env['ISOLATION_CASES'] ?? 60);
const nobody: AskUser = async () => ({ outcome: 'unsupported' });

let world: OpenedWorld;
let fixture: Fixture;

const scopeFor = (who: Principal) => scopeOf({ ...who });

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof MemoryError) return error.code;
    throw error;
  }
  return 'none';
}

const memoriesOf = (outcome: ToolOutcome) => (outcome.kind === 'memory' ? outcome.content.memories : []);

const windowFor = (who: Principal, rows: readonly WorldRow[]) =>
  fixture.manager.assembleWindow(callAs(scopeFor(who)), {
    question: world.questionOn(rows),
    intent: null,
    at: null,
    model: null,
  });

const toolFor = (who: Principal, tool: string, args: object) =>
  fixture.manager.callTool(callAs(scopeFor(who)), tool, args, nobody);

/** Runs the property for so many callers, from the fixed seed. */
async function forCallers(share: number, check: (made: Case) => Promise<void>): Promise<void> {
  const numRuns = Math.max(1, Math.ceil(cases * share));
  await fc.assert(fc.asyncProperty(asking, check), { seed, numRuns, endOnFailure: true });
}

/** Runs the property on one engine; `open` gives a manager over a store without a row. */
export function describeIsolation(open: () => Promise<Fixture>): void {
  beforeAll(async () => {
    world = await openWorld(open);
    ({ fixture } = world);
  });

  afterAll(async () => {
    await fixture.close();
  });

  describe('a generated world', () => {
    it('[N2] has rows of every type in every tenant, under the same ids', () => {
      const ids = world.rows.filter(({ id }) => id === 'entity_0' || id === 'chunk_0').map(({ tenant }) => tenant);
      expect(ids.toSorted()).toEqual([...tenants, ...tenants].toSorted());
      expect(world.rows.length).toBeGreaterThan(250);
      for (const tenant of tenants) {
        const types = new Set(world.rows.filter((row) => row.tenant === tenant).map(({ type }) => type));
        expect([...types].toSorted(), `of ${tenant}`).toHaveLength(8);
      }
    });

    it('[N2,I3,T2,T7] gives each caller exactly their tools, guidelines and persona', async () => {
      await forCallers(1, async ({ who }) => {
        const call = callAs(scopeFor(who));
        const shown = (row: WorldRow) => isCurrent(row) && isVisible(row, who);
        const tools = world.canariesOf('tools', await fixture.manager.listTools(call), shown);
        expect(tools).toEqual(
          canariesFrom(effective(world.rows, 'toolbox', who).filter((row) => isAdmitted(row, who))),
        );
        const guidelines = world.canariesOf('guidelines', await fixture.manager.guidelines(call), shown);
        expect(guidelines).toEqual(canariesFrom(effective(world.rows, 'guideline', who)));
        const persona = world.canariesOf('persona', await fixture.manager.persona(call), shown);
        expect(persona).toEqual(canariesFrom(effective(world.rows, 'persona', who)));
      });
    });

    it('[N2,I2,S1] shows in a window and its manifest nothing that its caller may not see', async () => {
      expect.hasAssertions();
      await forCallers(0.7, async (made) => {
        const { who } = made;
        const window = await windowFor(who, world.wantedRows(made));
        const found = world.canariesOf('window', window, (row) => isCurrent(row) && isVisible(row, who));
        world.expectOwnRefs(window.manifest, who);
        const turns = world.rows.filter((row) => row.type === 'conversation' && isCurrent(row) && isVisible(row, who));
        const newest = turns.filter(({ agent, thread }) => agent === who.agent && thread === who.thread).at(-1);
        if (newest !== undefined) expect(found, 'the newest turn of the thread').toContain(newest.canary);
      });
    });

    it('[N2,I2,T4] search_memory shows nothing of others, and finds a passage that its caller may see', async () => {
      expect.hasAssertions();
      await forCallers(1, async (made) => {
        const { who, own } = made;
        const visible = world.rows.filter((row) => row.type === 'chunk' && isCurrent(row) && isVisible(row, who));
        const mine = world.rowAt(own, visible);
        const query = world.questionOn([...world.wantedRows(made), ...(mine === undefined ? [] : [mine])]);
        const outcome = await toolFor(who, 'search_memory', { query, limit: 25 });
        const found = world.canariesOf('search', outcome, (row) => isCurrent(row) && isVisible(row, who));
        if (mine !== undefined) expect(found, `asked ${query}`).toContain(mine.canary);
        if (outcome.kind === 'memory' && outcome.manifest !== null) world.expectOwnRefs(outcome.manifest, who);
      });
    });

    it('[N2,I2,T3] search_history shows nothing of others, and finds what was said in an own thread', async () => {
      expect.hasAssertions();
      await forCallers(0.4, async (made) => {
        const { who, own } = made;
        const mine = world.rowAt(own, historyOf(world, who));
        const query = world.questionOn([...world.wantedRows(made), ...(mine === undefined ? [] : [mine])]);
        const outcome = await toolFor(who, 'search_history', { query, limit: 25 });
        const found = world.canariesOf('history', outcome, (row) => isCurrent(row) && isVisible(row, who));
        // A window that was opened there shows the newest turns of its thread, and they are not repeated.
        if (mine !== undefined && mine.thread !== who.thread) expect(found, `asked ${query}`).toContain(mine.canary);
        if (outcome.kind === 'memory' && outcome.manifest !== null) world.expectOwnRefs(outcome.manifest, who);
        const here = await toolFor(who, 'search_history', { query, limit: 25, thread: 'current' });
        world.canariesOf(
          'history of the thread',
          memoriesOf(here).map(({ content }) => content),
          (row) => isCurrent(row) && isVisible(row, who) && row.thread === who.thread,
        );
      });
    });

    it('[N2,I2,T3] search and fetch show nothing of others, and find a passage that their caller may see', async () => {
      expect.hasAssertions();
      await forCallers(0.7, async (made) => {
        const { who, own } = made;
        const visible = world.rows.filter((row) => row.type === 'chunk' && isCurrent(row) && isVisible(row, who));
        const mine = world.rowAt(own, visible);
        const query = world.questionOn([...world.wantedRows(made), ...(mine === undefined ? [] : [mine])]);
        const outcome = await toolFor(who, 'search', { query });
        const found = world.canariesOf('search', outcome, (row) => isCurrent(row) && isVisible(row, who));
        if (mine !== undefined) expect(found, `asked ${query}`).toContain(mine.canary);
        if (outcome.kind !== 'shaped' || !('results' in outcome.content)) throw new Error('the search has no links');
        for (const { id } of outcome.content.results.slice(0, 2)) {
          world.canariesOf(
            'fetch',
            await toolFor(who, 'fetch', { id }),
            (row) => isCurrent(row) && isVisible(row, who),
          );
        }
      });
    });

    it('[N2,I2,T4] lookup_entity shows nothing of others', async () => {
      expect.hasAssertions();
      await forCallers(1, async (made) => {
        const { who } = made;
        for (const { subject, predicate, conditions } of world.wantedClaims(made)) {
          for (const args of [
            { subject, predicate },
            { subject, predicate, conditions: conditions ?? {} },
          ]) {
            const outcome = await toolFor(who, 'lookup_entity', args);
            world.canariesOf('lookup', outcome, (row) => row.state !== 'hidden' && isVisible(row, who));
            if (outcome.kind === 'memory' && outcome.manifest !== null) world.expectOwnRefs(outcome.manifest, who);
          }
        }
      });
    });

    it('[T4,T5] lookup_entity finds every fact that counts for its caller, and lists it first', async () => {
      await forCallers(1, async ({ who, own }) => {
        const mine = world.rowAt(own, effective(world.rows, 'entity', who));
        if (mine?.claim === undefined || mine.claim === null) return;
        const { subject, predicate, conditions } = mine.claim;
        const outcome = await toolFor(who, 'lookup_entity', {
          subject,
          predicate,
          ...(conditions === null ? {} : { conditions }),
        });
        const memories = memoriesOf(outcome);
        const at = memories.findIndex(({ content }) => content.includes(mine.canary));
        expect(at, `${JSON.stringify(mine)} in ${JSON.stringify(memories)}`).toBeGreaterThanOrEqual(0);
        expect(memories[at]).toMatchObject({ status: 'current' });
        const before = memories.slice(0, at).map(({ status }) => status);
        expect(
          before.filter((status) => status !== 'current'),
          `before it in ${JSON.stringify(memories)}`,
        ).toEqual([]);
      });
    });

    it('[L3,I2] expand gives nothing for an id of another caller but what the asker was shown', async () => {
      let issued: readonly string[] = [];
      await forCallers(0.4, async (made) => {
        const { who } = made;
        const window = await windowFor(who, world.wantedRows(made));
        const own = new Set<string>(window.seated.map(({ id }) => id));
        for (const id of issued.filter((candidate) => !own.has(candidate)).slice(0, 3)) {
          expect(await codeOf(toolFor(who, 'expand', { memory_id: id })), `id ${id}`).toBe('not_issued');
        }
        for (const id of [...own].slice(0, 2)) {
          const outcome = await toolFor(who, 'expand', { memory_id: id });
          world.canariesOf('expand', outcome, (row) => isCurrent(row) && isVisible(row, who));
          expect(memoriesOf(outcome).map((memory) => memory.id)).toEqual([id]);
        }
        issued = [...own];
      });
    });

    it('[T7,I2,N2] manifests and runs are those of the principal alone, in any of its threads', async () => {
      const made: { readonly who: Principal; readonly manifest: Manifest }[] = [];
      await forCallers(0.3, async (given) => {
        const { who } = given;
        const { manifest } = await windowFor(who, world.wantedRows(given));
        made.push({ who, manifest });
        const call = callAs(scopeFor(who));
        for (const other of made.slice(-4)) {
          const isOwn = isSamePrincipal(other.who, who);
          const id = rowId(other.manifest.manifest_id);
          const expected = isOwn ? 'none' : 'not_found';
          expect(await codeOf(fixture.manager.manifest(call, id))).toBe(expected);
          expect(await codeOf(fixture.manager.checkAnswer(call, { manifestId: id, answer: 'It is 5.' }))).toBe(
            expected,
          );
          expect(await codeOf(fixture.manager.feedbackOn(call, id))).toBe(expected);
          const own = rowId(manifest.manifest_id);
          expect(await codeOf(fixture.manager.diff(call, { from: own, to: id }))).toBe(expected);
          const run = runId(other.manifest.run_id);
          expect(await codeOf(fixture.manager.run(call, run))).toBe(isOwn ? 'none' : 'not_found');
        }
        const recent = await fixture.manager.recentManifests(call, 10);
        expect(recent[0]?.manifest.manifest_id).toBe(manifest.manifest_id);
        world.canariesOf(
          'recent manifests',
          recent,
          (row) => row.state !== 'hidden' && isVisibleInSomeThread(row, who),
        );
      });
    });
  });

  describe('by hand', () => {
    const sam: Principal = { tenant: 'by-hand', user: 'sam', agent: null, thread: 'here', roles: [] };
    const began = '2020-01-01T00:00:00.000000Z';
    const ended = '2020-06-01T00:00:00.000000Z';
    const claim = { subject: 'service:mail', predicate: 'owner' };
    const entity = (id: string, content: string, more: object = {}) => ({
      id,
      ...claim,
      content,
      valid_from: began,
      ...more,
    });

    beforeAll(async () => {
      const profile = Object(world.files[0]?.json) as { guidelines: object[]; toolbox: object[] };
      const json = {
        tenant_id: sam.tenant,
        guidelines: profile.guidelines.slice(0, 1),
        toolbox: profile.toolbox.slice(0, 3),
        entities: [
          entity('a_old', 'Mail belonged to blue.', { valid_until: ended, superseded_by: 'a_new' }),
          entity('a_new', 'Mail belongs to red.', { version: 2, valid_from: ended }),
          entity('z_sam', 'For Sam mail belongs to green.', { user_id: 'sam', thread_id: 'green' }),
          entity('poison', 'Mail belongs to nobody.', { predicate: 'fee', conditions: { plan: 'poisoned-plan' } }),
          entity('late', 'Mail was free.', {
            predicate: 'fee',
            conditions: { plan: 'ended-plan' },
            valid_until: ended,
          }),
          entity('fee', 'Mail costs two.', { predicate: 'fee', conditions: { plan: 'basic' } }),
        ],
        summaries: [
          {
            id: 'shared',
            thread_id: 'elsewhere',
            title: 'Mail in another thread',
            summary: 'The elsewhere-thread spoke of mail.',
            completed_at: began,
            valid_from: began,
          },
        ],
      };
      await fixture.operator.seed([{ name: 'by-hand.json', json }], { requestId: 'seed' });
      await fixture.store.operate(operatorCall(sam.tenant).scope, { requestId: 'quarantine' }, (writer) =>
        writer.quarantine(['entity', rowId('poison'), 1], 'test'),
      );
    });

    it('[S1,N2] leaves a summary that nobody owns to its own thread, and goes on', async () => {
      const ask = (thread: string) =>
        fixture.manager.assembleWindow(callAs(scopeFor({ ...sam, thread })), {
          question: 'What was said of mail?',
          intent: null,
          at: null,
          model: null,
        });
      expect(JSON.stringify(await ask('elsewhere'))).toContain('elsewhere-thread');
      expect(JSON.stringify(await ask('here'))).not.toContain('elsewhere-thread');
    });

    it('[T4,N2] lists no conditions of a claim that is quarantined or over', async () => {
      const outcome = await toolFor({ ...sam, thread: 'fees' }, 'lookup_entity', { ...claim, predicate: 'fee' });
      expect(memoriesOf(outcome).map(({ content }) => content)).toEqual(['Mail costs two.']);
      expect(JSON.stringify(outcome)).not.toMatch(/poisoned-plan|ended-plan/);
    });

    it('[T5,S3] lists the current fact before its history, also where the current one is the narrower', async () => {
      const outcome = await toolFor({ ...sam, thread: 'green' }, 'lookup_entity', claim);
      expect(memoriesOf(outcome).map(({ content, status }) => [content, status])).toEqual([
        ['For Sam mail belongs to green.', 'current'],
        ['Mail belonged to blue.', 'historical'],
      ]);
    });
  });
}
