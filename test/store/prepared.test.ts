// Statements that the embedded engine keeps: they give what they gave, to each role its own, and outlive a failure.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/store/postgres/pglite.ts';
import type { Connection, Engine } from '../../src/store/postgres/connection.ts';
import type { Parameter } from '../../src/store/statements/session.ts';
import { options } from './harness.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine(null);
  await within(async (connection) => {
    await connection.execute(`
      CREATE ROLE reads_few; CREATE ROLE reads_nothing;
      CREATE TABLE kept (id integer PRIMARY KEY, owner text NOT NULL);
      INSERT INTO kept VALUES (1, 'few'), (2, 'many');
      ALTER TABLE kept ENABLE ROW LEVEL SECURITY;
      CREATE POLICY few ON kept TO reads_few USING (owner = 'few');
      GRANT SELECT ON kept TO reads_few;`);
  });
}, 60_000);

afterAll(() => engine.close());

/** One transaction, rolled back when it fails. */
function within<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
  return engine.use(options(), async (connection) => {
    await connection.execute('BEGIN');
    try {
      const result = await work(connection);
      await connection.commit();
      return result;
    } catch (error) {
      await connection.execute('ROLLBACK');
      throw error;
    }
  });
}

const ask = (sql: string, ...parameters: readonly Parameter[]) =>
  within((connection) => connection.query(sql, parameters));

function askAs(role: string, sql: string) {
  return within(async (connection) => {
    await connection.query("select set_config('role', $1, true)", [role]);
    return connection.query(sql, []);
  });
}

describe('[N1] statements that are kept', () => {
  it('[N1] give each role what it may see, however often another ran them before', async () => {
    const all = 'select id from kept order by id';
    for (let round = 0; round < 8; round += 1) {
      expect(await ask(all)).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await askAs('reads_few', all)).toEqual([{ id: 1 }]);
      await expect(askAs('reads_nothing', all)).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('[N8] work again after a failure, of their reading and of their running', async () => {
    await expect(ask('select nothing from nowhere')).rejects.toMatchObject({ code: '42P01' });
    const divide = 'select 6 / $1::integer as part';
    expect(await ask(divide, 3)).toEqual([{ part: 2 }]);
    await expect(ask(divide, 0)).rejects.toMatchObject({ code: '22012' });
    expect(await ask(divide, 2)).toEqual([{ part: 3 }]);
  });

  it('[N10] give values of every kind as an unkept statement does', async () => {
    const sql = `select $1::text as a, $2::integer as b, $3::boolean as c, $4::text[] as d, $5::integer[] as e, $6::jsonb as f,
      $7::timestamptz as g, $8::bigint as h, null::text as i, array[array[1, 2], array[3, 4]] as j`;
    const values = ['ü"\\', 7, true, ['a,b', '"'], [1, 2], '{"k":[1]}', '2026-01-01T00:00:00Z', 9_007_199_254_740_991];
    for (let round = 0; round < 2; round += 1) {
      const [row] = await ask(sql, ...values);
      expect(row).toMatchObject({ a: 'ü"\\', b: 7, c: true, d: ['a,b', '"'], e: [1, 2], f: { k: [1] } });
      expect(row).toMatchObject({
        h: 9_007_199_254_740_991,
        i: null,
        j: [
          [1, 2],
          [3, 4],
        ],
      });
      expect(row?.['g']).toMatch(/^2026-01-01 00:00:00/);
    }
    const [empty] = await ask(sql, null, null, null, [], [], null, null, null);
    expect(empty).toMatchObject({ a: null, b: null, c: null, d: [], e: [], f: null, g: null, h: null });
  });

  it('[N6] are read anew after a script, which may change what they give', async () => {
    const whole = 'select * from kept where id = $1';
    expect(await ask(whole, 1)).toEqual([{ id: 1, owner: 'few' }]);
    await within((connection) => connection.execute('ALTER TABLE kept ADD COLUMN note text'));
    expect(await ask(whole, 1)).toEqual([{ id: 1, owner: 'few', note: null }]);
  });

  it('[N8] are read anew after 500 runs and then after twice as many, since plans are for tables of the size that they had', async () => {
    const mine = 'select id from kept order by id desc';
    // A statement that is read anew has another name.
    const nameAfter = async (runs: number): Promise<unknown> => {
      await within(async (connection) => {
        for (let run = 0; run < runs; run += 1) await connection.query('select 1', []);
      });
      await ask(mine);
      const rows = await ask(`select name from pg_prepared_statements where statement = '${mine}'`);
      expect(rows).toHaveLength(1);
      return rows[0]?.['name'];
    };
    const first = await nameAfter(0);
    expect(await nameAfter(400)).toBe(first);
    const second = await nameAfter(900);
    expect(second).not.toBe(first);
    expect(await nameAfter(900)).toBe(second);
    expect(await nameAfter(1_800)).not.toBe(second);
  });

  it('[N8] of one call are not read anew all at once', async () => {
    const statements = Array.from({ length: 20 }, (_, place) => `select ${place} as place_of_many`);
    const names = async (): Promise<ReadonlySet<unknown>> => {
      await within(async (connection) => {
        for (const sql of statements) await connection.query(sql, []);
      });
      const rows = await ask("select name from pg_prepared_statements where statement like '% as place_of_many'");
      return new Set(rows.map((row) => row['name']));
    };
    let before = await names();
    const anew: number[] = [];
    for (let call = 0; call < 600; call += 1) {
      const after = await names();
      anew.push([...after].filter((name) => !before.has(name)).length);
      before = after;
    }
    expect(anew.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(statements.length);
    expect(Math.max(...anew)).toBeLessThanOrEqual(3);
  });

  it('[N10] show the rows of the cursor that is open, whatever the last one of its name gave', async () => {
    const read = (select: string) =>
      within(async (connection) => {
        await connection.query(`declare held cursor for ${select}`, []);
        const rows = await connection.query('fetch 10 from held', []);
        await connection.query('close held', []);
        return rows;
      });
    expect(await read('select 1 as a')).toEqual([{ a: 1 }]);
    expect(await read("select 'x' as b, true as c")).toEqual([{ b: 'x', c: true }]);
  });
});
