// Replay on any engine (design R1): what comes out the same, and every reason for which a window cannot be looked at.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/model/manifest.ts';
import { callAs, projectJson, scopeOf } from '../fixture.ts';
import { presentTransaction, setHistoryHorizon } from '../store/harness.ts';
import { correction, newWorld, usualQuestion, usualRows, type ReplayStore, type World } from './replay_world.ts';

const matched = { outcome: 'matched' };
const unavailable = (reason: string) => ({ outcome: 'unavailable', reason });

/** Runs the cases on a store. */
export function describeReplay(open: () => Promise<ReplayStore>): void {
  let store: ReplayStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());
  const makeWorld = (rows: object = usualRows): Promise<World> => newWorld(store, rows);

  describe('matched', () => {
    it('[R1,N4] a window comes out the same after its rows were corrected, replaced and joined by others', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      expect(manifest.memories.length).toBeGreaterThan(3);
      expect(await world.replay(manifest)).toEqual(matched);
      await world.apply(correction);
      await world.apply({
        guidelines: [{ guideline_key: 'tone', guideline_value: 'Be very long.' }],
        persona: [{ persona_key: 'role', persona_value: 'pilot', user_id: 'jane' }],
        entities: [{ subject: 'model:helios', predicate: 'size', content: 'Helios is small on the benchmark.' }],
        documents: [{ ...usualRows.documents[0], text: 'Helios was withdrawn.' }],
      });
      await world.manager.recordTurn(callAs(world.jane), { role: 'user', text: usualQuestion, runId: null });
      expect(await world.replay(manifest)).toEqual(matched);
      expect(await world.replayAsOperator(manifest)).toEqual(matched);
      const after = await world.window(usualQuestion);
      expect(after.request_hash).not.toBe(manifest.request_hash);
      expect(await world.replay(after)).toEqual(matched);
    });

    it('[R1,N4] a window comes out the same after its budget and its tools were changed', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      const guideline_value = await budgetOf(world, { recency_days: 5 });
      await world.apply({
        guidelines: [{ guideline_key: 'context_budget', guideline_value }],
        toolbox: [
          { tool_name: 'look', tool_schema: { type: 'object' }, tool_handler: 'search_memory', usage_notes: 'x' },
        ],
      });
      expect(await world.replay(manifest)).toEqual(matched);
    });

    it('[R1,L1] each round of a window’s run and of an implicit one comes out the same after a correction', async () => {
      const world = await makeWorld();
      const window = await world.window(usualQuestion);
      const elsewhere = scopeOf({ tenant: world.tenant, agent: null, thread: 'elsewhere', roles: ['reader'] });
      const rounds = [];
      for (const as of [world.jane, elsewhere]) {
        rounds.push(
          await world.call('search_memory', { query: 'accuracy on the benchmark', limit: 1 }, as),
          await world.call('lookup_entity', { subject: 'model:helios', predicate: 'accuracy' }, as),
          await world.call('lookup_entity', { subject: 'model:helios', predicate: 'colour' }, as),
        );
      }
      rounds.push(await world.call('expand', { memory_id: window.memories[0]?.id }));
      await world.apply(correction);
      rounds.push(await world.call('lookup_entity', { subject: 'model:helios', predicate: 'accuracy' }));
      await world.apply({ documents: [{ ...usualRows.documents[0], text: 'Helios was withdrawn.' }] });
      expect(rounds.map(({ kind }) => kind)).toEqual(rounds.map(() => 'tool_result'));
      for (const round of rounds) expect(await world.replay(round)).toEqual(matched);
      expect(await world.replayAsOperator(rounds[4]!)).toEqual(matched);
    });

    it('[R1,T3] rounds in the shapes of another host come out the same, with and without a memory', async () => {
      const world = await makeWorld();
      await world.apply((await projectJson('seeds/chatgpt.json')) as object);
      const found = await world.call('search', { query: 'accuracy on the benchmark' });
      const rounds = [found, await world.call('fetch', { id: found.memories[0]?.id })];
      rounds.push(await world.call('search', { query: 'zzyzx' }));
      await world.apply({ documents: [{ ...usualRows.documents[0], text: 'Helios was withdrawn.' }] });
      for (const round of rounds) expect(await world.replay(round)).toEqual(matched);
    });

    it('[R1,Q7] linked memories and contradictions come out the same after the links are gone', async () => {
      const world = await makeWorld();
      // Two facts are tried and eight found at most, so that a link alone brings the one that has no word of the question.
      await world.apply({
        guidelines: [
          { guideline_key: 'context_retrieval', guideline_value: { hops: 1 } },
          {
            guideline_key: 'context_budget',
            guideline_value: await budgetOf(world, { candidate_caps: { durable_facts: 2 } }),
          },
        ],
        entities: Array.from({ length: 8 }, (_, place) => ({
          subject: `benchmark:${place}`,
          predicate: 'accuracy',
          content: `Accuracy on benchmark ${place} is reached later.`,
        })),
      });
      const first = await world.window(usualQuestion);
      const [fact, other] = first.memories.filter(({ ref }) => ref[0] === 'entity').map(({ ref }) => ref);
      if (fact === undefined || other === undefined) throw new Error('the window has two facts');
      await world.apply({ entities: [{ subject: 'zq', predicate: 'zw', content: 'Zqx zwv.' }] });
      const [linked] = await world.sql(`select id from memory.entity_memory where tenant_id = $1 and subject = 'zq'`);
      for (const [target, relation] of [
        [String(linked?.['id']), 'refines'],
        [other[1], 'contradicts'],
      ] as const) {
        await world.sql(
          `insert into memory.memory_link (tenant_id, source_type, source_id, source_version, target_type, target_id,
             target_version, relation, metadata, created_at)
           values ($1, 'entity', $2, 1, 'entity', $3, 1, $4, '{}', now())`,
          fact[1],
          target,
          relation,
        );
      }
      const manifest = await world.window(usualQuestion);
      expect(manifest.memories.find(({ ref }) => ref[1] === fact[1])?.contradicted_by).toEqual([other]);
      const kept = await world.sql(
        `select payload -> 'replay' -> 'rows' as rows from memory.conversation_memory
         where tenant_id = $1 and event_type = 'retrieval' and manifest_id = $2`,
        manifest.manifest_id,
      );
      expect(JSON.stringify(kept)).toContain('"refines","outgoing"');
      await world.sql('delete from memory.memory_link where tenant_id = $1');
      expect(await world.replay(manifest)).toEqual(matched);
    });

    it('[R1] a window from another thread of the same principal can be looked at, and with another code the same', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      const elsewhere = scopeOf({ tenant: world.tenant, agent: null, thread: 'elsewhere', roles: ['reader'] });
      expect(await world.replay(manifest, elsewhere)).toEqual(matched);
      await patchManifest(world, manifest, ['code_hash'], 'f'.repeat(64));
      const replayed = await world.manager.replay(
        callAs(world.jane),
        (await world.manager.manifestIds(callAs(world.jane), newest))[0]!,
      );
      expect(replayed).toMatchObject({ sameCode: false, result: matched });
    });
  });

  describe('not found', () => {
    it('[R1,N2] a manifest of another tenant, user or agent does not exist, also for an operator elsewhere', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      for (const stranger of [
        { tenant: world.tenant, user: 'sam', agent: null },
        { tenant: world.tenant, user: 'jane', agent: 'helper' },
        { tenant: 'nobody', user: 'jane', agent: null },
      ]) {
        await expect(world.replay(manifest, scopeOf({ ...stranger, thread: 'main' }))).rejects.toMatchObject({
          code: 'not_found',
        });
      }
      const other = await makeWorld();
      await expect(other.replayAsOperator(manifest)).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  describe('deleted', () => {
    it('[R1,E1] a manifest that was erased leaves a tombstone, which says so to its own principal alone', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      await world.sql('delete from memory.conversation_memory where tenant_id = $1 and manifest_id is not null');
      await expect(world.replay(manifest)).rejects.toMatchObject({ code: 'not_found' });
      await world.sql(
        `insert into memory.conversation_memory (tenant_id, event_id, user_id, thread_id, event_type, payload, created_at,
           written_by, trust)
         values ($1, $2, 'jane', 'main', 'tombstone', jsonb_build_object('manifest_id', $3::text), now(), 'test', 'stated')`,
        `tombstone_${randomUUID()}`,
        manifest.manifest_id,
      );
      expect(await world.replay(manifest)).toMatchObject(unavailable('deleted'));
      expect(await world.replayAsOperator(manifest)).toMatchObject(unavailable('deleted'));
      const sam = scopeOf({ tenant: world.tenant, user: 'sam', agent: null });
      await expect(world.replay(manifest, sam)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('[R1] a deleted row makes a window unavailable, whether it was seated or left out, marked or gone', async () => {
      for (const statement of [
        'update memory.entity_memory set deleted_at = now() where tenant_id = $1 and id = $2',
        'delete from memory.entity_memory where tenant_id = $1 and id = $2',
      ]) {
        const world = await makeWorld();
        await world.apply(correction);
        const manifest = await world.window(usualQuestion);
        const seated = manifest.memories.find(({ type }) => type === 'entity')?.ref;
        const excluded = manifest.excluded.find(({ rule }) => rule === 'lifecycle')?.ref;
        for (const ref of [excluded, seated]) {
          if (ref === undefined) throw new Error('the window has no such row');
          expect(await world.replay(manifest)).not.toMatchObject({ ref });
          await world.sql(statement, ref[1]);
          expect(await world.replay(manifest)).toMatchObject({ ...unavailable('deleted') });
        }
        expect(await world.replayAsOperator(manifest)).toMatchObject(unavailable('deleted'));
      }
    });

    it('[R1] what was deleted already when the window left it out does not count', async () => {
      const world = await makeWorld();
      await world.apply(correction);
      await world.sql(
        `update memory.entity_memory set deleted_at = now() where tenant_id = $1 and superseded_by is not null`,
      );
      const manifest = await world.window(usualQuestion);
      expect(manifest.excluded).toContainEqual(expect.objectContaining({ detail: { state: 'deleted' } }));
      expect(await world.replay(manifest)).toEqual(matched);
    });
  });

  describe('not_authorized', () => {
    it('[R1,N2] a row that was given to another user ends the window for its reader, not for the operator', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      const ref = manifest.memories.find(({ type }) => type === 'entity')?.ref;
      await world.sql(
        `update memory.entity_memory set user_id = 'sam' where tenant_id = $1 and id = $2`,
        ref?.[1] ?? '',
      );
      expect(await world.replay(manifest)).toEqual({ ...unavailable('not_authorized'), ref });
      expect(await world.replayAsOperator(manifest)).toEqual(matched);
    });

    it('[R1,T2] a tool that the reader lost the role for ends the window that listed it', async () => {
      const world = await makeWorld({
        toolbox: [
          {
            tool_name: 'look',
            tool_schema: { type: 'object' },
            tool_handler: 'search_memory',
            usage_notes: 'x',
            access_policy: { roles: ['reader'] },
          },
        ],
      });
      const manifest = await world.window(usualQuestion);
      expect(await world.replay(manifest)).toEqual(matched);
      expect(await world.replay(manifest, { ...world.jane, roles: [] })).toMatchObject(unavailable('not_authorized'));
      expect(await world.replayAsOperator(manifest)).toEqual(matched);
    });
  });

  describe('what is kept no more', () => {
    it('[R1,N4] pruned history is history_gone where it is missed, and no matter where it is not', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      await world.apply(correction);
      const { tenant } = world;
      await setHistoryHorizon(store.raw, { tenant, xid: await presentTransaction(store.raw) });
      try {
        expect(await world.replay(manifest)).toEqual(matched);
        await world.sql('delete from memory.entity_memory_history where tenant_id = $1');
        expect(await world.replay(manifest)).toMatchObject(unavailable('history_gone'));
      } finally {
        await setHistoryHorizon(store.raw, { tenant, xid: '0' });
      }
      expect(await world.replay(manifest)).toMatchObject({ outcome: 'mismatched' });
    });

    it('[R1,C1] a compression that is missed is compression_missing; one in history is found there', async () => {
      const world = await compressedWorld(makeWorld);
      const manifest = await world.window('What do the notes say about the cooling of the turbine?');
      const used = manifest.memories.filter(({ compression }) => compression !== null);
      expect(used.length).toBeGreaterThan(0);
      expect(await world.replay(manifest)).toEqual(matched);
      await world.sql(`update memory.context_compression set text = 'Another text.' where tenant_id = $1`);
      expect(await world.replay(manifest)).toEqual(matched);
      await world.sql('delete from memory.context_compression where tenant_id = $1');
      expect(await world.replay(manifest)).toEqual(matched);
      await world.sql('delete from memory.context_compression_history where tenant_id = $1');
      expect(await world.replay(manifest)).toMatchObject(unavailable('compression_missing'));
    });

    it('[R1] without the request of a window, or the calls before a round, the transcript is missing', async () => {
      const world = await makeWorld();
      const window = await world.window(usualQuestion);
      const first = await world.call('search_memory', { query: 'accuracy on the benchmark', limit: 1 });
      const second = await world.call('lookup_entity', { subject: 'model:helios', predicate: 'accuracy' });
      await world.sql(
        `delete from memory.conversation_memory where tenant_id = $1 and event_type = 'tool_result' and manifest_id = $2`,
        first.manifest_id,
      );
      expect(await world.replay(second)).toMatchObject(unavailable('transcript_missing'));
      expect(await world.replay(window)).toEqual(matched);
      await world.sql(
        `delete from memory.conversation_memory where tenant_id = $1 and event_type = 'request' and manifest_id = $2`,
        window.manifest_id,
      );
      expect(await world.replay(window)).toMatchObject(unavailable('transcript_missing'));
      expect(await world.replay(first)).toMatchObject(unavailable('transcript_missing'));
    });

    it('[R1,N5] a position of another database is told as such', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      await patchManifest(world, manifest, ['incarnation'], '00000000-0000-0000-0000-000000000000/1/1');
      expect(await world.replay(manifest)).toMatchObject(unavailable('other_database'));
    });
  });

  describe('code', () => {
    it('[R1] other bytes of other code are code_changed, of the same code mismatched with the first difference', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      await patchManifest(world, manifest, ['memories', '0', 'tokens'], 1);
      expect(await world.replay(manifest)).toEqual({
        outcome: 'mismatched',
        difference: {
          where: 'manifest',
          path: '$.memories[0].tokens',
          offset: null,
          recorded: 1,
          rebuilt: manifest.memories[0]?.tokens,
        },
      });
      await patchManifest(world, manifest, ['code_hash'], 'f'.repeat(64));
      expect(await world.replay(manifest)).toMatchObject(unavailable('code_changed'));
    });

    it('[R1] a difference in the request is told by its place, without a word of what stands there', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      await patchManifest(world, manifest, ['request_hash'], 'e'.repeat(64));
      await world.sql(
        `update memory.conversation_memory set payload = jsonb_set(payload, '{request,messages,0,content}', '"# Guidelines?"')
         where tenant_id = $1 and event_type = 'request'`,
      );
      expect(await world.replay(manifest)).toEqual({
        outcome: 'mismatched',
        difference: { where: 'request', path: '$.messages[0].content', offset: 12, recorded: null, rebuilt: null },
      });
    });

    it('[R1] a manifest of before anything was kept for replay has a reason, and fails nothing', async () => {
      const world = await makeWorld();
      const manifest = await world.window(usualQuestion);
      await world.sql(
        `update memory.conversation_memory set payload = payload - 'replay'
         where tenant_id = $1 and event_type = 'retrieval'`,
      );
      expect(await world.replay(manifest)).toMatchObject(unavailable('transcript_missing'));
      await patchManifest(world, manifest, ['code_hash'], 'f'.repeat(64));
      expect(await world.replay(manifest)).toMatchObject(unavailable('code_changed'));
    });
  });
}

const newest = { since: null, limit: 1 };

/** Changes one value of a stored manifest. */
async function patchManifest(
  world: World,
  manifest: Manifest,
  path: readonly string[],
  value: string | number,
): Promise<void> {
  await world.sql(
    `update memory.conversation_memory set payload = jsonb_set(payload, $3::text[], $4::jsonb)
     where tenant_id = $1 and event_id = $2`,
    manifest.manifest_id,
    `{${['manifest', ...path].join(',')}}`,
    JSON.stringify(value),
  );
}

/** A tenant whose one document is longer than what its slice may hold, so that it is compressed. */
async function compressedWorld(makeWorld: (rows: object) => Promise<World>): Promise<World> {
  const sentences = Array.from(
    { length: 60 },
    (_, day) => `On day ${day} the cooling of the turbine ran at ${20 + day} degrees and nothing else was noted.`,
  );
  const made = await makeWorld({
    documents: [{ collection: 'notes', title: 'Turbine', source_uri: 'notes/turbine.md', text: sentences.join(' ') }],
  });
  const guideline_value = await budgetOf(made, { usable_context: 11_000 });
  await made.apply({ guidelines: [{ guideline_key: 'context_budget', guideline_value }] });
  return made;
}

/** The tenant's budget with other values. */
async function budgetOf(world: World, changed: object): Promise<object> {
  const [row] = await world.sql(
    `select guideline_value from memory.guideline_memory where tenant_id = $1 and guideline_key = 'context_budget'`,
  );
  return { ...Object(row?.['guideline_value']), ...changed };
}
