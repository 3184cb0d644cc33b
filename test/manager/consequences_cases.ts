// Consequences on any engine (design R3): what used a version that was corrected later, and where a cited memory came from.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Affected } from '../../src/model/consequences.ts';
import { rowId, runId } from '../../src/model/ids.ts';
import type { Manifest } from '../../src/model/manifest.ts';
import { callAs, scopeOf } from '../fixture.ts';
import { correction, newWorld, usualQuestion, usualRows, type ReplayStore, type World } from './replay_world.ts';

const subject = { subject: 'model:helios', predicate: 'accuracy' };

/** Runs the cases on a store. */
export function describeConsequences(open: () => Promise<ReplayStore>): void {
  let store: ReplayStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const answer = (world: World, manifest: Manifest, text: string) =>
    world.manager.recordTurn(callAs(world.jane), { role: 'assistant', text, runId: runId(manifest.run_id) });
  const entered = ({ uses }: Affected) => uses.map((use) => [use.kind, use.entered]);
  const accuracyOf = (manifest: Manifest) => {
    const found = manifest.memories.find(({ status, ref }) => status === 'current' && ref[0] === 'entity');
    if (found === undefined) throw new Error('the window has no fact');
    return found;
  };

  /** A window and a lookup that showed the fact, an answer that cites it, one that does not; then it is corrected. */
  async function correctedWorld() {
    const world = await newWorld(store, { ...usualRows, entities: usualRows.entities.slice(0, 1) });
    const window = await world.window(usualQuestion);
    const fact = accuracyOf(window);
    const looked = await world.call('lookup_entity', subject);
    const cited = await answer(world, window, `It reaches 0.92 [${fact.id}].`);
    const plain = await answer(world, window, 'It is the best one by far.');
    // Recalled and in the tail, the answer brings the old figure into a window that does not hold the fact itself.
    const later = await world.window(usualQuestion);
    await world.apply(correction);
    return { world, window, looked, later, fact, cited, plain };
  }

  describe('affected', () => {
    it('[R3] names windows, tool results and answers that used a version before its correction, and how', async () => {
      const { world, window, looked, later, fact, cited, plain } = await correctedWorld();
      const ref = `entity:${fact.ref[1]}`;
      const found = await world.manager.affected(callAs(world.jane), ref);
      expect(found.corrected).toMatchObject([{ version: fact.ref, state: 'superseded', by: { type: 'entity' } }]);
      const uses = found.uses.map(({ kind, id, entered: how }) => [kind, id, how]);
      expect(uses).toEqual(
        expect.arrayContaining([
          ['window', window.manifest_id, 'current'],
          ['tool_result', looked.manifest_id, 'current'],
          ['answer', cited.eventId, 'cited'],
          ['answer', plain.eventId, 'run'],
          ['window', later.manifest_id, 'current'],
          ['window', later.manifest_id, 'tail'],
        ]),
      );
      expect(found.uses.find(({ entered: how }) => how === 'tail')?.via).toEqual(['conversation', cited.eventId, 1]);
      // By the id that people see, and from the row that replaced it, the same is found.
      expect(await world.manager.affected(callAs(world.jane), fact.id)).toEqual(found);
      const by = `entity:${found.corrected[0]?.by?.id}`;
      expect((await world.manager.affected(callAs(world.jane), by)).uses).toEqual(found.uses);
    });

    it('[R3] leaves out what knew of the correction, and says of a current version that it was not corrected', async () => {
      const { world, fact } = await correctedWorld();
      const before = await world.manager.affected(callAs(world.jane), fact.id);
      const aware = await world.window(usualQuestion);
      const lookedUp = await world.call('lookup_entity', subject);
      expect(lookedUp.memories.map(({ status }) => status)).toContain('historical');
      expect(await world.manager.affected(callAs(world.jane), fact.id)).toEqual(before);
      const now = accuracyOf(aware);
      const current = `entity:${now.ref[1]}:${now.ref[2]}`;
      expect(await world.manager.affected(callAs(world.jane), current)).toEqual({
        versions: [now.ref],
        corrected: [],
        uses: [],
      });
    });

    it('[R3] a document stands for its passages, and what used them is found when it is replaced', async () => {
      const world = await newWorld(store, usualRows);
      const window = await world.window(usualQuestion);
      const passage = window.memories.find(({ type }) => type === 'chunk');
      await world.apply({ documents: [{ ...usualRows.documents[0], text: 'Helios was withdrawn.' }] });
      const document = window.dependencies.find(({ role }) => role === 'parent_document')?.ref;
      for (const ref of [`chunk:${passage?.ref[1]}`, `document:${document?.[1]}`]) {
        const found = await world.manager.affected(callAs(world.jane), ref);
        expect(entered(found)).toContainEqual(['window', 'evidence']);
      }
    });

    it('[R3,N2] another user, agent or tenant learns of no use; the operator of the tenant of all', async () => {
      const { world, fact } = await correctedWorld();
      const ref = `entity:${fact.ref[1]}`;
      const all = await store.operator.affected(world.operator, ref);
      expect(all.uses).toEqual((await world.manager.affected(callAs(world.jane), ref)).uses);
      for (const stranger of [
        scopeOf({ tenant: world.tenant, user: 'sam', agent: null }),
        scopeOf({ tenant: world.tenant, user: 'jane', agent: 'helper' }),
      ]) {
        // The fact is shared, so that it was corrected may be known; who used it is not.
        expect((await world.manager.affected(callAs(stranger), ref)).uses).toEqual([]);
        await expect(world.manager.affected(callAs(stranger), fact.id)).rejects.toMatchObject({ code: 'not_found' });
      }
      const foreign = callAs(scopeOf({ tenant: 'nobody', user: 'jane', agent: null }));
      await expect(world.manager.affected(foreign, ref)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('[R3] refuses what is no ref, and does not find what is not there', async () => {
      const world = await newWorld(store);
      const asked = (ref: string) => world.manager.affected(callAs(world.jane), ref);
      for (const ref of ['', 'helios', 'planet:x', 'entity:', "entity:x' or 1=1"]) {
        await expect(asked(ref)).rejects.toMatchObject({ code: 'invalid_argument' });
      }
      for (const ref of ['entity:nowhere', 'entity:nowhere:1', 'B0123456789']) {
        await expect(asked(ref)).rejects.toMatchObject({ code: 'not_found' });
      }
    });
  });

  describe('trace', () => {
    it('[R3] leads from a cited passage to its document with its address, and says where both stand now', async () => {
      const world = await newWorld(store, usualRows);
      const window = await world.window(usualQuestion);
      const passage = window.memories.find(({ type }) => type === 'chunk');
      const traced = () => world.manager.trace(callAs(world.jane), { citation: passage?.id ?? '', manifestId: null });
      const steps = (await traced()).steps.map(({ depth, relation, ref, standing, title, uri }) => {
        return { depth, relation, type: ref[0], standing, title, uri };
      });
      const title = 'The Helios paper';
      const uri = 'https://papers.example/helios';
      expect(steps).toEqual([
        { depth: 0, relation: null, type: 'chunk', standing: 'current', title, uri: null },
        { depth: 1, relation: 'parent_document', type: 'document', standing: 'current', title, uri },
      ]);
      await world.apply({ documents: [{ ...usualRows.documents[0], text: 'Helios was withdrawn.' }] });
      expect((await traced()).steps.map(({ standing }) => standing)).toEqual(['superseded', 'superseded']);
    });

    it('[R3] leads from an answer to the fact that it cites, also by the id in one manifest', async () => {
      const { world, later, fact, cited } = await correctedWorld();
      const turn = later.memories.find(({ ref }) => ref[1] === cited.eventId);
      const asked = { citation: turn?.id ?? '', manifestId: rowId(later.manifest_id) };
      const { steps } = await world.manager.trace(callAs(world.jane), asked);
      expect(steps.map(({ depth, relation, ref, standing }) => [depth, relation, ref, standing])).toEqual([
        [0, null, ['conversation', cited.eventId, 1], 'current'],
        [1, 'mentions', fact.ref, 'superseded'],
      ]);
      expect(steps[0]).toMatchObject({ eventType: 'model_msg' });
      expect(await store.operator.trace(world.operator, asked)).toEqual({ citationId: asked.citation, steps });
    });

    it('[R3,N2] an id is traced for whom it was issued to, and what may not be seen any more has no title', async () => {
      const { world, later, fact } = await correctedWorld();
      const asked = { citation: fact.id, manifestId: null };
      for (const stranger of [
        scopeOf({ tenant: world.tenant, user: 'sam', agent: null }),
        scopeOf({ tenant: world.tenant, user: 'jane', agent: 'helper' }),
        scopeOf({ tenant: 'nobody', user: 'jane', agent: null }),
      ]) {
        await expect(world.manager.trace(callAs(stranger), asked)).rejects.toMatchObject({ code: 'not_found' });
        const inManifest = { ...asked, manifestId: rowId(later.manifest_id) };
        await expect(world.manager.trace(callAs(stranger), inManifest)).rejects.toMatchObject({ code: 'not_found' });
      }
      await world.sql(`update memory.entity_memory set user_id = 'sam' where tenant_id = $1 and id = $2`, fact.ref[1]);
      const { steps } = await world.manager.trace(callAs(world.jane), asked);
      expect(steps).toMatchObject([{ ref: fact.ref, standing: 'not_visible', title: null }]);
    });
  });
}
