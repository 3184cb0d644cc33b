// Reads of the past and of what was recorded (design N4, R1, R3): rows as a snapshot saw them, and nobody else's.

import { beforeAll, expect, it } from 'vitest';
import { agentId, citationId, rowId, runId, threadId, userId } from '../../src/model/ids.ts';
import type { RowId } from '../../src/model/ids.ts';
import type { RefJson } from '../../src/model/manifest.ts';
import type { Ref } from '../../src/model/memory.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { Owner, PastReader, Position, RecordReader } from '../../src/store/past.ts';
import type { Store } from '../../src/store/store.ts';
import type { OpenedStore, RawSession } from './harness.ts';
import {
  document,
  entity,
  event,
  guideline,
  hash,
  historyOf,
  ids,
  importRows,
  newId,
  newTenant,
  operate,
  operator,
  options,
  persona,
  presentTransaction,
  rawOf,
  read,
  run,
  scope,
  setHistoryHorizon,
  summary,
  tool,
  turn,
  workflow,
  write,
} from './harness.ts';

const jane = userId('jane');
const records = <T>(
  store: Store,
  as: Scope | ReturnType<typeof operator>,
  use: (reader: RecordReader) => Promise<T>,
): Promise<T> => store.readPast(as, options(), use);

const positionOf = (store: Store, tenant: string): Promise<Position> =>
  read(store, scope(tenant), async (reader) => reader.position);

const ownerOf = (tenant: string, user = 'jane'): Owner => scope(tenant, user);

/** All that a past reader gives of these refs, as one value. */
async function everything(past: PastReader, refs: readonly Ref[]): Promise<Record<string, readonly unknown[]>> {
  return {
    guidelines: ids(await past.guidelines()),
    personas: ids(await past.personas()),
    tools: ids(await past.tools()),
    memories: ids(await past.memories(refs)),
    versions: ids(await past.versions(refs)),
    provenance: (await past.provenance(refs)).map(({ source }) => source[1]),
    links: (await past.links(refs)).map(({ target }) => target[1]),
  };
}

const nothing = { guidelines: [], personas: [], tools: [], memories: [], versions: [], provenance: [], links: [] };

export function contractOfPast(given: () => OpenedStore): void {
  const raw = (): RawSession => rawOf(given());
  const sql = (text: string, ...parameters: readonly (string | number | null)[]) =>
    raw().query({ role: null }, text, parameters);

  const tenant = newTenant();
  const own = { userId: jane };
  const rows = {
    guideline: guideline(own),
    persona: persona(own),
    tool: tool(own),
    entity: entity(own),
    workflow: workflow(own),
    summary: summary({ ...own, threadId: threadId('another') }),
    turn: turn(),
    document: document(own),
  };
  const chunkId = rows.document.chunks[0]!.id;
  const refs: readonly Ref[] = [
    ['chunk', chunkId, 1],
    ['conversation', rows.turn.id, 1],
    ['entity', rows.entity.id, 1],
    ['summary', rows.summary.id, 1],
    ['workflow', rows.workflow.id, 1],
  ];
  const all = {
    guidelines: [rows.guideline.id],
    personas: [rows.persona.id],
    tools: [rows.tool.id],
    memories: refs.map(([, id]) => id),
    versions: refs.map(([, id]) => id),
    provenance: [rows.entity.id],
    links: [chunkId],
  };
  let before: Position;
  let filled: Position;

  beforeAll(async () => {
    const { store } = given();
    before = await positionOf(store, tenant);
    await importRows(store, tenant, {
      rows: Object.values(rows),
      provenance: [
        { derived: ['summary', rows.summary.id, 1], source: ['entity', rows.entity.id, 1], relation: 'derived_from' },
      ],
      links: [{ source: ['entity', rows.entity.id, 1], target: ['chunk', chunkId, 1], relation: 'supports' }],
    });
    filled = await positionOf(store, tenant);
    if (given().raw === null) return;
    for (const table of ['guideline', 'persona', 'toolbox', 'entity', 'workflow', 'summarization', 'conversation']) {
      await sql(`update memory.${table}_memory set deleted_at = now() where tenant_id = $1`, tenant);
    }
    await sql('delete from memory.context_source_ref where tenant_id = $1', tenant);
    await sql('delete from memory.memory_link where tenant_id = $1', tenant);
    await sql('delete from memory.knowledge_base_chunk where tenant_id = $1', tenant);
    await sql('delete from memory.knowledge_base_document where tenant_id = $1', tenant);
  });

  const seenAs = (as: Scope | ReturnType<typeof operator>, position: Position, owner = ownerOf(tenant)) =>
    records(given().store, as, (reader) => everything(reader.asOf(position, owner), refs));

  it('[N4] every read gives the rows that a snapshot saw, whatever became of them since', async () => {
    raw();
    expect(await seenAs(scope(tenant), filled)).toEqual(all);
    expect(await seenAs(scope(tenant), before)).toEqual(nothing);
    const now = await positionOf(given().store, tenant);
    const left = refs.slice(1).map(([, id]) => id);
    expect(await seenAs(scope(tenant), now)).toEqual({ ...nothing, memories: left, versions: left });
    const [past] = await records(given().store, scope(tenant), (reader) =>
      reader.asOf(filled, ownerOf(tenant)).memories([refs[2]!]),
    );
    expect(past).toMatchObject({ content: 'Helios reaches 0.92.', lifecycle: { deletedAt: null } });
  });

  it('[N4,N2] the past of another tenant, user or agent is nobody’s business, whoever is named as its owner', async () => {
    const agent = { ...scope(tenant), agentId: agentId('helper') };
    for (const [as, owner] of [
      [scope(newTenant()), ownerOf(tenant)],
      [scope(tenant, 'sam'), ownerOf(tenant)],
      [scope(tenant, 'sam'), ownerOf(tenant, 'sam')],
      [scope(tenant), ownerOf(tenant, 'sam')],
      [operator(tenant), ownerOf(tenant, 'sam')],
      [operator(newTenant()), ownerOf(tenant)],
    ] as const) {
      expect(await seenAs(as, filled, owner)).toEqual(nothing);
    }
    expect(await seenAs(operator(tenant), filled)).toEqual(all);
    const bound = entity({ ...own, agentId: agentId('helper') });
    await importRows(given().store, tenant, { rows: [bound] });
    const at = await positionOf(given().store, tenant);
    const seen = (owner: Owner) =>
      records(given().store, agent, async (reader) =>
        ids(await reader.asOf(at, owner).memories([['entity', bound.id, 1]])),
      );
    expect(await seen(agent)).toEqual([bound.id]);
    expect(await seen(ownerOf(tenant))).toEqual([]);
  });

  it('[N4] a row that was given to another user since is seen by neither as it was', async () => {
    const { store } = given();
    const moved = entity({ ...own, subject: 'moved' });
    await importRows(store, tenant, { rows: [moved] });
    const at = await positionOf(store, tenant);
    await sql(`update memory.entity_memory set user_id = 'sam' where tenant_id = $1 and id = $2`, tenant, moved.id);
    const ref: Ref = ['entity', moved.id, 1];
    const past = (user: string) =>
      records(store, scope(tenant, user), async (reader) =>
        ids(await reader.asOf(at, ownerOf(tenant, user)).memories([ref])),
      );
    // The old version is jane's still; that she may not see the row any more is checked against the present.
    expect(await past('jane')).toEqual([moved.id]);
    expect(await past('sam')).toEqual([]);
    expect(await records(store, scope(tenant), (reader) => reader.versions([ref]))).toEqual([]);
  });

  it('[N4] a read by id of a large table goes by indexes of rows and history, whichever the planner likes', async () => {
    historyOf(given());
    const large = newTenant();
    const one = entity({ ...own, subject: 'many' });
    await importRows(given().store, large, { rows: [one] });
    // Copies of the one row, each with an old version, without what the triggers would do for each.
    await sql(
      `insert into memory.entity_memory
       select (jsonb_populate_record(e, jsonb_build_object('id', 'many_' || n, 'subject', 's' || n))).*
       from memory.entity_memory e, generate_series(1, 15000) n where e.tenant_id = $1`,
      large,
    );
    await sql(
      `insert into memory.entity_memory_history select pg_current_xact_id(), e.* from memory.entity_memory e
       where e.tenant_id = $1`,
      large,
    );
    await sql('analyze memory.entity_memory, memory.entity_memory_history');
    const { scn } = await positionOf(given().store, large);
    const plan = await raw().query(
      { role: 'mem_app', tenant: large, user: 'jane' },
      `explain select e.id from jsonb_to_recordset($1::jsonb) as r (id text, version integer)
       join memory.entity_memory_as_of($2::pg_snapshot) e
         on e.tenant_id = memory.current_tenant() and e.id = r.id and e.version = r.version`,
      [JSON.stringify([1, 2, 3].map((n) => ({ id: `many_${n}`, version: 1 }))), scn],
    );
    const lines = plan.map((row) => String(row['QUERY PLAN'])).join('\n');
    expect(lines).toMatch(/Index.* entity_memory_(?:pkey|claim)/);
    expect(lines).toMatch(/Index.* entity_memory_history_pkey/);
    expect(lines).not.toMatch(/Seq Scan on entity_memory/);
  });

  it('[N4] where history may have been pruned, a snapshot from before is told from one after', async () => {
    const { store } = given();
    const kept = () => records(store, scope(tenant), (reader) => reader.asOf(filled, ownerOf(tenant)).isKept());
    expect(await kept()).toBe(true);
    await setHistoryHorizon(raw(), { tenant, xid: await presentTransaction(raw()) });
    try {
      expect(await kept()).toBe(false);
      // On a server other tests' transactions that began before the horizon may still be running.
      const laterIsKept = async () => {
        const later = await positionOf(store, tenant);
        return await records(store, scope(tenant), (reader) => reader.asOf(later, ownerOf(tenant)).isKept());
      };
      await expect.poll(laterIsKept, { timeout: 30_000 }).toBe(true);
    } finally {
      await setHistoryHorizon(raw(), { tenant, xid: '0' });
    }
  });

  it('[N4,C1] a compression is found with every text that it had, the present one first, by its own user', async () => {
    const { store } = given();
    const fact = entity({ ...own, subject: 'compressed' });
    await importRows(store, tenant, { rows: [fact] });
    const [stored] = await write(store, scope(tenant), (writer) =>
      writer.putCompressions([
        {
          id: newId('compression'),
          source: ['entity', fact.id, 1],
          sourceHash: hash(fact.content),
          text: 'first',
          tokens: 1,
          model: 'm',
          promptVersion: '1',
        },
      ]),
    );
    const id = stored?.id ?? rowId('none');
    await sql(`update memory.context_compression set text = 'second' where tenant_id = $1`, tenant);
    const texts = (as: Scope, owner: Owner) =>
      records(store, as, async (reader) =>
        (await reader.asOf(before, owner).compressions([id])).map(({ text }) => text),
      );
    expect(await texts(scope(tenant), ownerOf(tenant))).toEqual(['second', 'first']);
    expect(await texts(scope(tenant, 'sam'), ownerOf(tenant))).toEqual([]);
    expect(await texts(scope(newTenant()), ownerOf(tenant))).toEqual([]);
  });

  const refJson = (type: RefJson[0], id: string): RefJson => [type, id, 1];

  /** A window of jane's that used these rows, with what a manager writes beside it. */
  async function recordWindow(made: { readonly memories: readonly RefJson[]; readonly scope: Scope }): Promise<RowId> {
    const id = newId('manifest');
    const opened = run();
    const memories = made.memories.map((ref) => {
      return { ref, slice: 'durable_facts', status: 'current', annotation_refs: [] };
    });
    const dependencies = made.memories.map((ref) => ({ ref, id: ref[1], role: 'memory' }));
    await write(given().store, made.scope, async (writer) => {
      await writer.openRun(opened);
      const manifest = {
        manifest_id: id,
        kind: 'window',
        run_id: opened.runId,
        round: 0,
        memories,
        dependencies,
        excluded: [],
        budget_ref: null,
        retrieval_ref: null,
      };
      const beside = { runId: opened.runId, role: 'system' } as const;
      await writer.appendEvent(event({ ...beside, eventId: id, eventType: 'context_manifest', payload: { manifest } }));
      await writer.addProvenance(
        made.memories.map(([type, row, version]) => ({
          derived: ['conversation', id, 1] satisfies Ref,
          source: [type, rowId(row), version] satisfies Ref,
          relation: 'used_in_window' as const,
        })),
      );
      await writer.appendEvent(
        event({ eventType: 'model_msg', role: 'assistant', runId: opened.runId, payload: { text: 'An answer.' } }),
      );
      await writer.issue(opened.runId, [
        { citationId: citationId('B00000000aa'), ref: [memories[0]!.ref[0], rowId(memories[0]!.ref[1]), 1] },
      ]);
    });
    return id;
  }

  it('[R1,N2] a manifest and all that stands beside it are its principal’s and the operator’s', async () => {
    const { store } = given();
    const fact = entity({ ...own, subject: 'recorded' });
    await importRows(store, tenant, { rows: [fact] });
    const id = await recordWindow({ memories: [refJson('entity', fact.id)], scope: scope(tenant) });
    const ref: Ref = ['entity', fact.id, 1];
    const seen = (as: Scope | ReturnType<typeof operator>) =>
      records(store, as, async (reader) => ({
        record: (await reader.manifestRecord(id))?.kind ?? null,
        isListed: (await reader.manifestIds({ since: null, limit: 50 })).includes(id),
        uses: (await reader.uses([ref])).map(({ manifestId }) => manifestId),
        answers: (await reader.answers([ref], [])).length,
        cited: (await reader.citations(citationId('B00000000aa'))).map((cited) => cited.ref),
      }));
    const found = { record: 'stored', isListed: true, uses: [id], answers: 0, cited: [ref] };
    expect(await seen(scope(tenant))).toEqual(found);
    expect(await seen(scope(tenant, 'jane', { thread: 'elsewhere' }))).toEqual(found);
    expect(await seen(operator(tenant))).toEqual(found);
    const none = { record: null, isListed: false, uses: [], answers: 0, cited: [] };
    for (const stranger of [
      scope(tenant, 'sam'),
      scope(newTenant()),
      scope(tenant, 'jane', { agent: 'helper' }),
      operator(newTenant()),
    ]) {
      expect(await seen(stranger)).toEqual(none);
    }
  });

  it('[R3,N2] answers of a run, transcripts and source events are their principal’s and the operator’s', async () => {
    const { store } = given();
    const fact = entity({ ...own, subject: 'answered' });
    await importRows(store, tenant, { rows: [fact] });
    const id = await recordWindow({ memories: [refJson('entity', fact.id)], scope: scope(tenant) });
    const ofRun = await read(store, scope(tenant), (reader) => reader.currentRun());
    const seen = (as: Scope | ReturnType<typeof operator>) =>
      records(store, as, async (reader) => ({
        answers: (await reader.answers([], [ofRun?.runId ?? runId('none')])).length,
        sources: (await reader.sources([['conversation', id, 1]])).length,
        replaced: (await reader.replacedBy({ type: 'entity', id: fact.id, version: null })).length,
      }));
    expect(await seen(scope(tenant))).toEqual({ answers: 1, sources: 1, replaced: 1 });
    expect(await seen(operator(tenant))).toEqual({ answers: 1, sources: 1, replaced: 1 });
    for (const stranger of [scope(tenant, 'sam'), scope(newTenant()), operator(newTenant())]) {
      expect(await seen(stranger)).toEqual({ answers: 0, sources: 0, replaced: 0 });
    }
  });

  it('[R1,N2] which rows of a manifest are gone is said to its own principal alone', async () => {
    const { store } = given();
    const [stays, moves, goes] = [1, 2, 3].map((place) => entity({ ...own, subject: `fate-${place}` }));
    if (stays === undefined || moves === undefined || goes === undefined) throw new Error('three rows');
    await importRows(store, tenant, { rows: [stays, moves, goes] });
    const named = [stays, moves, goes].map(({ id }) => refJson('entity', id));
    const id = await recordWindow({ memories: named, scope: scope(tenant) });
    await sql(`update memory.entity_memory set user_id = 'sam' where tenant_id = $1 and id = $2`, tenant, moves.id);
    await sql('delete from memory.entity_memory where tenant_id = $1 and id = $2', tenant, goes.id);
    const gone = (as: Scope | ReturnType<typeof operator>) => records(store, as, (reader) => reader.goneRefs(id));
    expect(await gone(scope(tenant))).toEqual([['entity', goes.id, 1]]);
    expect(await gone(operator(tenant))).toEqual([['entity', goes.id, 1]]);
    for (const stranger of [
      scope(tenant, 'sam'),
      scope(newTenant()),
      scope(tenant, 'jane', { agent: 'helper' }),
      operator(newTenant()),
    ]) {
      expect(await gone(stranger)).toEqual([]);
    }
    expect(await raw().query({ role: 'mem_app', tenant }, 'select * from memory.gone_refs($1)', [id])).toEqual([]);
    expect(await raw().query({ role: 'mem_app' }, 'select * from memory.gone_refs($1)', [id])).toEqual([]);
  });

  it('[R3] a row leads back over all versions that it replaced', async () => {
    const { store } = given();
    const versions = [1, 2, 3].map((version) => ({ ...entity({ ...own, subject: 'thrice' }), version }));
    for (const row of versions) {
      await operate(store, tenant, (writer) => writer.putVersion(row, row.version - 1, []));
    }
    const back = (version: number | null) =>
      records(store, scope(tenant), (reader) => reader.replacedBy({ type: 'entity', id: versions[2]!.id, version }));
    const chain = versions.toReversed().map(({ id, version }) => ['entity', id, version]);
    expect(await back(null)).toEqual(chain);
    expect(await back(3)).toEqual(chain);
    expect(await back(2)).toEqual([]);
  });
}
