// Row security (design N1, N2): what one context writes, another one cannot see, change or guess.

import { beforeAll, describe, expect, it } from 'vitest';
import { citationId, userId } from '../../src/model/ids.ts';
import type { Ref } from '../../src/model/memory.ts';
import { contractOfDefiners } from './contract_definers.ts';
import type { OpenedStore, RawSession } from './harness.ts';
import {
  document,
  entity,
  entry,
  event,
  guideline,
  hash,
  ids,
  importRows,
  newId,
  newTenant,
  operate,
  persona,
  rawOf,
  read,
  run,
  scope,
  sqlState,
  summary,
  testEmbedder,
  tool,
  turn,
  workflow,
  write,
} from './harness.ts';

const jane = userId('jane');
const unscoped = ['schema_version', 'store_setting'];
// What is known of a tenant's history: written by definer functions alone, and without a user.
const ofTenant = ['history_horizon', 'history_mark'];

/** One row of jane's in every table, old versions included. */
async function fillEveryTable({ store, raw }: OpenedStore, tenant: string): Promise<void> {
  const own = { userId: jane };
  const paper = document(own, ['Jane reads about helios.']);
  const fact = entity(own);
  const past = summary(own);
  const said = turn();
  const chunk: Ref = ['chunk', paper.chunks[0]!.id, 1];
  const rows = [guideline(own), persona(own), tool(own), fact, workflow(own), past, said, paper] as const;
  await importRows(store, tenant, {
    rows,
    provenance: [{ derived: ['summary', past.id, 1], source: ['entity', fact.id, 1], relation: 'derived_from' }],
    links: [{ source: ['entity', fact.id, 1], target: chunk, relation: 'supports' }],
    index: [
      entry(['entity', fact.id, 1], fact.content, { names: ['helios'], vector: [1, 0, 0, 0] }),
      entry(chunk, paper.chunks[0]!.content, { vector: [0, 1, 0, 0] }),
    ],
  });
  await write(store, scope(tenant), async (writer) => {
    const opened = run();
    await writer.openRun(opened);
    await writer.issue(opened.runId, [{ citationId: citationId('B0123456789'), ref: chunk }]);
    await writer.appendEvent(event());
    const text = paper.chunks[0]!.content;
    await writer.putTokenCounts([
      { ref: chunk, contentHash: hash(text), tokens: { full: 9 }, rendererVersion: '1', encoding: 'o200k_base' },
    ]);
    await writer.putCompressions([
      {
        id: newId(),
        source: chunk,
        sourceHash: hash(text),
        text: 'Helios.',
        tokens: 2,
        model: 'm',
        promptVersion: '1',
      },
    ]);
  });
  await operate(store, tenant, async (writer) => {
    for (const [type, id] of [...rows.map((row) => [row.type, row.id] as const), ['chunk', chunk[1]] as const]) {
      await writer.quarantine([type, id, 1], 'test');
      await writer.quarantine([type, id, 1], null);
    }
  });
  await raw?.query(
    { role: 'mem_operator', tenant },
    `insert into memory.deletion_events (tenant_id, id, user_id, deletion_scope, reason, deleted_at)
     values ($1, 'd1', 'jane', 'user', 'test', now())`,
    [tenant],
  );
  for (const table of ofTenant) {
    await raw?.query({ role: null }, `insert into memory.${table} select $1, '1'::xid8, now()`, [tenant]);
  }
  for (const table of ['context_compression', 'context_source_ref', 'memory_link']) {
    await raw?.query({ role: null }, `update memory.${table} set created_at = created_at where tenant_id = $1`, [
      tenant,
    ]);
  }
}

async function tables(raw: RawSession): Promise<readonly string[]> {
  const rows = await raw.query(
    { role: null },
    `select c.relname from pg_class c
     where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p') order by 1`,
  );
  return rows.map((row) => String(row['relname']));
}

export function contractOfIsolation(given: () => OpenedStore): void {
  const tenant = newTenant();
  const other = newTenant();
  let names: readonly string[] = [];
  const raw = (): RawSession => rawOf(given());
  const count = async (as: Parameters<RawSession['query']>[0], table: string, where = 'true'): Promise<number> =>
    Number((await raw().query(as, `select count(*) as n from memory.${table} where ${where}`))[0]?.['n']);

  beforeAll(async () => {
    await fillEveryTable(given(), tenant);
    const session = given().raw;
    names = session === null ? [] : (await tables(session)).filter((name) => !unscoped.includes(name));
  });

  it('[N2] a table without row security and a policy fails, and no table forces it on its owner', async () => {
    const rows = await raw().query(
      { role: null },
      `select c.relname, c.relrowsecurity, c.relforcerowsecurity, r.rolname as owner,
         array(select p.polname::text from pg_policy p where p.polrelid = c.oid order by 1) as policies
       from pg_class c join pg_roles r on r.oid = c.relowner
       where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p', 'm') order by 1`,
    );
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) {
      expect(row).toMatchObject({ relrowsecurity: true, relforcerowsecurity: false, owner: 'mem_owner' });
      const policies = row['policies'];
      const name = String(row['relname']);
      if (unscoped.includes(name)) expect(policies).toEqual(['everyone_reads']);
      else if (name.endsWith('_history') || ofTenant.includes(name))
        expect(policies).toEqual(['app_reads', 'operator_reads']);
      else {
        const narrower = name === 'summarization_memory' ? ['app_inserts_digests', 'app_retires_digests'] : [];
        const all = ['app_deletes', 'app_inserts', 'app_reads', 'app_updates', 'operator_reads', 'operator_writes'];
        expect(policies).toEqual([...all, ...narrower].toSorted());
      }
    }
  });

  it('[N2] a view reads as its caller', async () => {
    const rows = await raw().query(
      { role: null },
      `select c.relname, c.reloptions::text[] as options from pg_class c
       where c.relnamespace = 'memory'::regnamespace and c.relkind = 'v'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row['options']).toContain('security_invoker=true');
  });

  it('[N2] every table has rows here, so that what follows proves something', async () => {
    for (const name of names) {
      expect({ name, rows: await count({ role: null }, name, `tenant_id = '${tenant}'`) }).not.toEqual({
        name,
        rows: 0,
      });
    }
  });

  it('[N2] no context, no rows: neither without a tenant nor with a tenant and no user', async () => {
    for (const name of names) {
      expect({ name, rows: await count({ role: 'mem_app' }, name) }).toEqual({ name, rows: 0 });
      expect({ name, rows: await count({ role: 'mem_app', tenant }, name) }).toEqual({ name, rows: 0 });
      expect({ name, rows: await count({ role: 'mem_app', user: 'jane' }, name) }).toEqual({ name, rows: 0 });
      expect({ name, rows: await count({ role: 'mem_operator' }, name) }).toEqual({ name, rows: 0 });
    }
  });

  it('[N2] another tenant sees no row of any table, with the same user id or as operator', async () => {
    for (const name of names) {
      expect({ name, rows: await count({ role: 'mem_app', tenant: other, user: 'jane' }, name) }).toEqual({
        name,
        rows: 0,
      });
      expect({ name, rows: await count({ role: 'mem_operator', tenant: other }, name) }).toEqual({ name, rows: 0 });
    }
  });

  it('[N2] rows of another user are invisible on every table, and the owner sees theirs', async () => {
    for (const name of names.filter((each) => !ofTenant.includes(each))) {
      const own = `user_id = 'jane'`;
      expect({ name, rows: await count({ role: 'mem_app', tenant, user: 'sam' }, name, own) }).toEqual({
        name,
        rows: 0,
      });
      expect({ name, rows: await count({ role: 'mem_app', tenant, user: 'jane' }, name, own) }).not.toEqual({
        name,
        rows: 0,
      });
    }
  });

  it('[N2] a wrong tenant or user inserts, updates and deletes nothing, on any table', async () => {
    const intruders = [
      { role: 'mem_app', tenant: other, user: 'jane' },
      { role: 'mem_app', tenant, user: 'sam' },
      { role: 'mem_app' },
      { role: 'mem_operator', tenant: other },
    ] as const;
    for (const name of names) {
      const columns = await insertable(raw(), name);
      const [row] = await raw().query(
        { role: null },
        `select to_jsonb(t)::text as row from memory.${name} t where tenant_id = $1${ofTenant.includes(name) ? '' : " and user_id = 'jane'"} limit 1`,
        [tenant],
      );
      const insert = `insert into memory.${name} (${columns}) select ${columns}
        from jsonb_populate_record(null::memory.${name}, $1::jsonb)`;
      for (const intruder of intruders) {
        expect({ name, intruder, code: await sqlState(raw().query(intruder, insert, [String(row?.['row'])])) }).toEqual(
          {
            name,
            intruder,
            code: '42501',
          },
        );
        for (const change of [`update memory.${name} set tenant_id = tenant_id`, `delete from memory.${name}`]) {
          const before = await count({ role: null }, name, `tenant_id = '${tenant}'`);
          expect([null, '42501']).toContain(await sqlState(raw().query(intruder, change)));
          expect({ name, rows: await count({ role: null }, name, `tenant_id = '${tenant}'`) }).toEqual({
            name,
            rows: before,
          });
        }
      }
    }
  });

  it('[N2] an end user cannot retire or change a shared row', async () => {
    const shared = guideline({ key: 'shared' });
    await importRows(given().store, tenant, { rows: [shared] });
    const retired = await raw().query(
      { role: 'mem_app', tenant, user: 'jane' },
      'update memory.guideline_memory set valid_until = now() where id = $1 returning id',
      [shared.id],
    );
    expect(retired).toEqual([]);
    await expect(
      write(given().store, scope(tenant), (writer) => writer.putVersion({ ...shared, id: newId() }, 1, [])),
    ).rejects.toMatchObject({ code: 'scope_violation' });
  });

  it('[N2] the runtime owns nothing, cannot alter, bypass or become another role', async () => {
    const app = { role: 'mem_app', tenant, user: 'jane' } as const;
    for (const statement of [
      'alter table memory.guideline_memory disable row level security',
      'drop table memory.memory_link',
      'create table memory.mine (id text)',
      'create policy mine on memory.guideline_memory using (true)',
      'truncate memory.memory_term',
      `insert into memory.schema_version (number, name) values (99, 'x')`,
      `update memory.store_setting set value = 'x'`,
    ]) {
      expect({ statement, code: await sqlState(raw().query(app, statement)) }).toEqual({ statement, code: '42501' });
    }
    const roles = await raw().query(
      { role: null },
      `select rolname, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles where rolname like 'mem\\_%' order by 1`,
    );
    expect(roles.map((row) => row['rolname'])).toEqual(['mem_app', 'mem_operator', 'mem_owner']);
    for (const row of roles) {
      expect(row).toMatchObject({ rolsuper: false, rolbypassrls: false, rolcanlogin: false, rolcreaterole: false });
    }
    const owned = await raw().query(
      { role: null },
      `select relname from pg_class where relowner in (select oid from pg_roles where rolname in ('mem_app', 'mem_operator'))`,
    );
    expect(owned).toEqual([]);
  });

  it('[N2] the sealing secret is for serving alone: no setting shows it, and operators may not ask', async () => {
    const key = await given().store.sealingKey();
    expect(key.length).toBe(32);
    expect(await given().store.sealingKey()).toEqual(key);
    const secrets = `select name, value from memory.store_setting where name = 'sealing_secret' or length(value) > 64`;
    const asked = 'select memory.sealing_secret() as secret';
    const app = { role: 'mem_app', tenant, user: 'jane' } as const;
    const operators = { role: 'mem_operator', tenant } as const;
    expect(await raw().query(app, secrets)).toEqual([]);
    expect(await raw().query(operators, secrets)).toEqual([]);
    expect(await sqlState(raw().query(operators, asked))).toBe('42501');
    // What is derived from the secret tells nothing of it.
    const [row] = await raw().query(app, asked);
    expect(Buffer.from(key).toString('hex')).not.toContain(String(row?.['secret']).slice(0, 8));
    expect(String(row?.['secret'])).toMatch(/^[0-9a-f-]{72}$/);
  });

  it('[N2] ids of tenants compare by bytes: case, accents and look-alikes are other tenants', async () => {
    const composed = 'caf\u00e9';
    const twins = [composed, 'cafe\u0301', 'Caf\u00e9', 'cafe', `${composed} `];
    for (const name of twins) await importRows(given().store, name, { rows: [guideline({ value: name })] });
    for (const name of twins) {
      const rows = await read(given().store, scope(name), (reader) => reader.guidelines());
      expect(rows.map((row) => row.value)).toEqual([name]);
    }
  });

  it('[N1] the context is gone after a use, after an error and after a cancellation', async () => {
    const { store } = given();
    const leftover = () =>
      raw().query(
        { role: null },
        `select coalesce(current_setting('memory.tenant_id', true), '') as tenant,
           coalesce(current_setting('memory.user_id', true), '') as "user", current_setting('role') as role`,
      );
    const clean = [{ tenant: '', user: '', role: 'none' }];
    await read(store, scope(tenant), (reader) => reader.guidelines());
    expect(await leftover()).toEqual(clean);
    await expect(read(store, scope(tenant), () => Promise.reject(new Error('broken')))).rejects.toThrow();
    expect(await leftover()).toEqual(clean);
    const again = event();
    await write(store, scope(tenant), (writer) => writer.appendEvent(again));
    await expect(write(store, scope(tenant), (writer) => writer.appendEvent(again))).rejects.toMatchObject({
      code: 'version_conflict',
    });
    expect(await leftover()).toEqual(clean);
    const controller = new AbortController();
    const cancelled = store.read(
      scope(tenant),
      { requestId: 'c', evaluationTime: null, signal: controller.signal },
      async (reader) => {
        controller.abort();
        return await reader.guidelines();
      },
    );
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    expect(await leftover()).toEqual(clean);
  });

  it('[N2,D3,D6] an operator rebuilds, counts and drops what is derived of the own tenant alone', async () => {
    const { store } = given();
    const [own, foreign] = [newTenant(), newTenant()];
    const fact = entity({ subject: 'derived' });
    const said = [turn(), turn()];
    const refs = [['entity', fact.id, 1], ...said.map(({ id }) => ['conversation', id, 1] as const)] as const;
    const vector = [1, 0, 0, 0];
    const index = [fact.content, ...said.map(({ text }) => text)].map((text, place) =>
      entry(refs[place]!, text, { vector }),
    );
    await importRows(store, foreign, { rows: [fact, ...said], index });
    const embedder = { id: 'another', dimensions: 4 };
    const wanted = { after: '', limit: 10, reach: 2, embedder, analysis: 1, lacking: null } as const;
    const nothing = { memories: 0, indexed: 0, analysed: 0, embedded: 0, leftOver: 0 };
    const counts = () => operate(store, foreign, (writer) => writer.indexCounts(testEmbedder, 1));
    const before = await counts();
    expect(before).toEqual({ memories: 3, indexed: 3, analysed: 3, embedded: 3, leftOver: 0 });
    await operate(store, own, async (writer) => {
      expect(await writer.indexCounts(embedder, 1)).toEqual(nothing);
      for (const kind of ['entity', 'conversation'] as const)
        expect(await writer.rebuildPage({ ...wanted, kind })).toEqual({ memories: [], unreadable: [], next: null });
      const placed = index.map((made) => ({ entry: made, before: [], after: [] }));
      expect(await writer.putVectors(placed, { reach: 2, unreadable: [], embedder })).toBe(0);
      await writer.putVectors([], { reach: 2, unreadable: refs, embedder });
      expect(
        await writer.putTerms(
          placed.map((item) => ({ ...item, embedded: true })),
          { reach: 2 },
        ),
      ).toEqual([]);
      expect(await writer.deleteLeftOver(embedder, 100)).toBe(0);
      expect(await writer.dropDerived(100)).toBe(0);
    });
    expect(await counts()).toEqual(before);
    // With its own eyes the tenant sees them, each turn beside the other.
    const page = await operate(store, foreign, (writer) => writer.rebuildPage({ ...wanted, kind: 'conversation' }));
    const around = page.memories.map(({ memory, before: earlier, after: later }) => [
      memory.ref[1],
      ids(earlier),
      ids(later),
    ]);
    const [first, second] = said.map(({ id }) => id);
    expect(new Set(around)).toEqual(
      new Set([
        [first, [], [second]],
        [second, [first], []],
      ]),
    );
  });

  describe('definer functions', () => contractOfDefiners(given, { tenant, other }));
}

async function insertable(raw: RawSession, table: string): Promise<string> {
  const rows = await raw.query(
    { role: null },
    `select attname from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and attidentity = '' order by attnum`,
    [`memory.${table}`],
  );
  return rows.map((row) => String(row['attname'])).join(', ');
}
