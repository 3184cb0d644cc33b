// Tables, policies and grants of the Oracle dialect against the statements that use them, and against PostgreSQL.
import { beforeAll, describe, expect, it } from 'vitest';
import { createQueries, queryNames } from '../../src/store/sql_files.ts';
import { readStatementHead } from '../../src/store/statement_head.ts';
import { readCatalogue } from './catalogue.ts';
import { emptyTexts, oracleColumns, oracleTables, postgresColumns, postgresTables } from './dialects.ts';
import { readPostgresShapes } from './postgres_shapes.ts';
import type { PostgresShapes } from './postgres_shapes.ts';
import { readUsage } from './used_names.ts';

const catalogue = readCatalogue();
const queries = createQueries('oracle');
const names = queryNames('oracle');
const usageOf = (sql: string) => readUsage(sql, catalogue.relations, catalogue.programs);
const tables = [...catalogue.relations.values()].filter(({ isView }) => !isView);
const short = (name: string): string => name.replace('mem_owner.', '');
const unscoped = ['schema_version', 'store_secret', 'store_setting'];
const ofTenant = ['erasure_ref', 'history_horizon', 'history_mark'];
const ofEveryTenant = ['index_tenant', 'retention_turn', 'toolbox_change'];
const unowned = [...unscoped, ...ofTenant, ...ofEveryTenant];
/** Conditions of one table beside those that all have. */
const further: Readonly<Record<string, readonly string[]>> = {
  conversation_memory: ['PRIVATE_ROWS: SELECT'],
  summarization_memory: ['DIGESTS: INSERT UPDATE DELETE'],
};

function policiesExpected(table: string): readonly string[] {
  if (unscoped.includes(table)) return ['EVERYONE: SELECT'];
  if (ofEveryTenant.includes(table)) return ['EVERYONE: SELECT', 'OF_TENANT: INSERT UPDATE DELETE'];
  if (ofTenant.includes(table)) return ['OF_TENANT: SELECT INSERT UPDATE DELETE'];
  return ['VISIBLE: SELECT INSERT UPDATE DELETE', 'WRITABLE: INSERT UPDATE DELETE', ...(further[table] ?? [])];
}

describe('the schema for Oracle (not run on Oracle here)', () => {
  it('[N2] guards every table by name: reads, and writes of one’s own', () => {
    const guarded = tables.map((table) => ({
      table: short(table.name),
      policies: catalogue.policies
        .filter((policy) => policy.table === table.name)
        .map((policy) => `${policy.function}: ${policy.statements.join(' ')}`),
    }));
    for (const { table, policies } of guarded) {
      expect({ table, policies }).toEqual({ table, policies: policiesExpected(table) });
    }
    const ofNoTable = catalogue.policies.filter(({ table }) => !catalogue.relations.has(table));
    expect(ofNoTable).toEqual([]);
  });

  it('[N2] has what the policies speak of: a tenant first in every key, a user in every row', () => {
    for (const { name, columns, primaryKey } of tables) {
      const table = short(name);
      if (unscoped.includes(table)) continue;
      expect({ table, first: primaryKey[0] }).toEqual({ table, first: 'tenant_id' });
      expect({ table, required: columns.get('tenant_id')?.required }).toEqual({ table, required: true });
      for (const column of primaryKey)
        expect({ table, column, known: columns.get(column)?.required }).toEqual({ table, column, known: true });
      if (!unowned.includes(table))
        expect({ table, hasUser: columns.has('user_id') }).toEqual({ table, hasUser: true });
    }
  });

  it('[N2] grants nothing to the logins beyond what their work needs', () => {
    const toLogins = catalogue.grants.filter(({ grantees }) =>
      grantees.some((name) => /^mem_(app|operator)$/.test(name)),
    );
    const privileges = new Set(
      toLogins.flatMap((grant) => grant.privileges.map((privilege) => privilege.split(' (')[0])),
    );
    expect(privileges).toEqual(new Set(['delete', 'execute', 'flashback', 'insert', 'select', 'update']));
    // Columns of a canonical row that say when it ended or that it is not to be shown; never its content.
    const updated = new Set(
      toLogins.flatMap((grant) =>
        grant.privileges
          .filter((privilege) => privilege.startsWith('update'))
          .map((privilege) => `${short(grant.object)} ${privilege}`),
      ),
    );
    for (const grant of updated) expect(grant).toMatch(/update \(/);
    for (const grant of updated)
      expect(grant).not.toMatch(/content\b(?!_hash)|_value|payload|tenant_id|user_id|version\b/);
    const deleted = toLogins.filter((grant) => grant.privileges.includes('delete')).map((grant) => short(grant.object));
    expect([...new Set(deleted)].toSorted()).toEqual([
      'memory_name',
      'memory_posting',
      'memory_sign',
      'memory_term',
      'memory_vector',
      'token_count',
    ]);
    const executed = (login: string) =>
      toLogins
        .filter((grant) => grant.privileges.includes('execute') && grant.grantees.includes(login))
        .map((grant) => grant.object)
        .toSorted();
    expect(executed('mem_app')).toEqual([
      'mem_owner.source_lock',
      'mem_owner.turn_counter',
      'mem_sec.current_scn',
      'mem_sec.embedder_switch',
      'mem_sec.gone_refs',
      'mem_sec.incarnation',
      'mem_sec.mem_ctx',
      'mem_sec.retention',
      'mem_sec.sealing_secret',
      'mem_sec.tenant_lock',
      'mem_sec.toolbox_changes',
    ]);
    expect(executed('mem_operator')).toEqual([
      'mem_owner.erasure',
      'mem_owner.source_lock',
      'mem_owner.turn_counter',
      'mem_sec.current_scn',
      'mem_sec.embedder_switch',
      'mem_sec.gone_refs',
      'mem_sec.incarnation',
      'mem_sec.operator_ctx',
      'mem_sec.operator_switch',
      'mem_sec.tenant_lock',
    ]);
    expect(catalogue.grants.flatMap(({ grantees }) => grantees).filter((name) => name === 'public')).toEqual([]);
  });

  it('[N2,N3] lets the logins read each table they need, now and AS OF', () => {
    for (const name of names) {
      for (const { relation, pastRead } of usageOf(queries(name)).tables) {
        const granted = catalogue.grants
          .filter((grant) => grant.object === relation && grant.grantees.includes('mem_app'))
          .flatMap((grant) => grant.privileges);
        const needed = pastRead ? ['select', 'flashback'] : ['select'];
        expect({ name, relation, missing: needed.filter((privilege) => !granted.includes(privilege)) }).toEqual({
          name,
          relation,
          missing: [],
        });
      }
    }
  });

  it.each(names)('[N2] %s names only tables and columns that exist, and mixes no types', (name) => {
    expect(usageOf(queries(name)).problems).toEqual([]);
  });

  it.each(names.filter((name) => readStatementHead(queries(name)).context.includes('scn')))(
    '[N3] %s reads every table AS OF one SCN, with tenant and user said again',
    (name) => {
      const { tables: used, result } = usageOf(queries(name));
      for (const { relation, alias, pastRead, boundTenant, boundUser } of used) {
        expect({ relation, alias, pastRead, boundTenant, boundUser }).toEqual({
          relation,
          alias,
          pastRead: !readsPresent(name, relation, alias),
          boundTenant: true,
          boundUser: true,
        });
      }
      expect(used.length).toBeGreaterThan(0);
      expect(
        result.filter(({ typeClass }) => typeClass === 'time'),
        'a Date would lose microseconds',
      ).toEqual([]);
      const positions = new Set(queries(name).match(/\bAS OF SCN\b \S+/g));
      expect([...positions]).toEqual(['AS OF SCN :scn']);
    },
  );

  it.each(names.filter((name) => bindsOf(name).includes('at_snapshot')))(
    '[N4] %s reads every table AS OF the recorded SCN, with tenant and owner said again',
    (name) => {
      const { tables: used } = usageOf(queries(name));
      const past = used.filter(({ relation }) => relation !== 'mem_owner.history_horizon');
      const asOwner = name.startsWith('past_');
      for (const { relation, alias, pastRead, boundTenant, boundUser } of past) {
        expect({ relation, alias, pastRead, boundTenant, boundUser }).toEqual({
          relation,
          alias,
          pastRead: true,
          boundTenant: true,
          boundUser: asOwner,
        });
      }
      expect(past.length).toBeGreaterThan(0);
      const positions = new Set(queries(name).match(/\bAS OF SCN\b \S+/g));
      const [position] = positions;
      expect(positions.size).toBe(1);
      expect(['AS OF SCN TO_NUMBER(:at_snapshot)', 'AS OF SCN v_scn']).toContain(position);
      if (position === 'AS OF SCN v_scn') expect(queries(name)).toContain('v_scn NUMBER := TO_NUMBER(:at_snapshot);');
    },
  );

  it('[N4] looks at every table of the past before it says that the past is there', () => {
    const pastTables = (name: string) =>
      usageOf(queries(name)).tables.flatMap(({ relation, pastRead }) => (pastRead ? [relation] : []));
    // Compressions are read as they are now, and known_version's row of one with them.
    const read = names
      .filter((name) => name.startsWith('past_') && name !== 'past_compressions')
      .flatMap(pastTables)
      .filter((relation) => relation !== 'mem_owner.context_compression');
    expect(new Set(pastTables('history_reaches'))).toEqual(new Set(read));
  });

  it('[N3] finds in no other statement a read AS OF', () => {
    for (const name of names) {
      if (readStatementHead(queries(name)).context.includes('scn') || bindsOf(name).includes('at_snapshot')) continue;
      expect({ name, past: /\bAS OF\b(?! an SCN)/.test(queries(name).replaceAll(/--.*$/gm, '')) }).toEqual({
        name,
        past: false,
      });
    }
  });
});

function bindsOf(name: string): readonly string[] {
  return readStatementHead(queries(name)).binds.map((bind) => bind.name);
}

/** What is read as it is now beside a read of the past. */
function readsPresent(name: string, relation: string, alias: string): boolean {
  // The approximate index knows only the present: it brings ids, and the rows are read AS OF.
  if (name === 'vectors_approximate') return alias === 's';
  // An export leaves out what leads nowhere; a view is not read AS OF.
  return name.startsWith('export_') && relation === 'mem_owner.known_version';
}

describe('the schema of both dialects', () => {
  let postgres: PostgresShapes;
  beforeAll(async () => {
    postgres = await readPostgresShapes();
  });

  it('[N10] has the same tables, but for those with a reason', () => {
    const found = [...postgres.tables.keys()];
    const missing = found.filter((table) => !catalogue.relations.has(`mem_owner.${table}`));
    expect(missing.filter((table) => !postgresTables.some(([pattern]) => pattern.test(table)))).toEqual([]);
    const more = [...catalogue.relations.keys()].map(short).filter((table) => !found.includes(table));
    expect(more.toSorted()).toEqual(Object.keys(oracleTables).toSorted());
    for (const [pattern] of postgresTables) expect(missing.some((table) => pattern.test(table))).toBe(true);
  });

  it('[N10] has the same columns of the same kinds, but for those with a reason', () => {
    const seen = new Set<string>();
    const excused = (reasons: Readonly<Record<string, string>>, table: string, column: string): boolean => {
      const key = [`*.${column}`, `${table}.${column}`].find((name) => reasons[name] !== undefined);
      if (key !== undefined) seen.add(key);
      return key !== undefined;
    };
    const differences: string[] = [];
    for (const [table, columns] of postgres.tables) {
      const relation = catalogue.relations.get(`mem_owner.${table}`);
      if (relation === undefined) continue;
      for (const { name, typeClass, required } of columns) {
        const column = relation.columns.get(name);
        if (column === undefined) {
          if (!excused(postgresColumns, table, name)) differences.push(`${table}.${name} is missing`);
        } else if (!relation.isView) {
          if (column.typeClass !== typeClass)
            differences.push(`${table}.${name}: ${typeClass}, and ${column.typeClass} on Oracle`);
          const mayBeEmpty = emptyTexts.includes(`${table}.${name}`);
          if (column.required !== (required && !mayBeEmpty))
            differences.push(`${table}.${name}: NOT NULL on one alone`);
        }
      }
      for (const name of relation.columns.keys())
        if (!columns.some((column) => column.name === name) && !excused(oracleColumns, table, name))
          differences.push(`${table}.${name} is new`);
    }
    expect(differences).toEqual([]);
    expect(
      [...Object.keys(postgresColumns), ...Object.keys(oracleColumns)].filter((key) => !seen.has(key)),
      'reasons without a difference',
    ).toEqual([]);
  });
});

describe('the reading of names can fail', () => {
  it.each([
    ['unknown table mem_owner.nowhere', 'SELECT n.id FROM mem_owner.nowhere n'],
    ['no column e.nothing', 'SELECT e.nothing FROM mem_owner.entity_memory e'],
    [
      'unknown alias x.id',
      'SELECT e.id FROM mem_owner.entity_memory e WHERE EXISTS (SELECT 1 FROM DUAL WHERE x.id = e.id)',
    ],
    ['compares text with number: e.subject', 'SELECT e.id FROM mem_owner.entity_memory e WHERE e.subject = e.version'],
    ['no column r.name', "SELECT r.name FROM JSON_TABLE(:refs, '$[*]' COLUMNS (id VARCHAR2(9) PATH '$.id')) r"],
    ['unknown name mem_sec.nobody', 'BEGIN mem_sec.nobody; END;'],
    [
      'no column mem_owner.thread.owner',
      'BEGIN INSERT INTO mem_owner.thread (tenant_id, user_id, owner, thread_id, next_turn_index, created_at) VALUES (:a, :b, :c, :d, 1, SYS_EXTRACT_UTC(SYSTIMESTAMP)); END;',
    ],
    [
      'mem_owner.thread.next_turn_index is a number and gets a text',
      "INSERT INTO mem_owner.thread (tenant_id, user_id, thread_id, next_turn_index, created_at) VALUES (:a, :b, :c, 'x', SYS_EXTRACT_UTC(SYSTIMESTAMP))",
    ],
    [
      'mem_owner.thread needs created_at',
      'INSERT INTO mem_owner.thread (tenant_id, user_id, thread_id, next_turn_index) VALUES (:a, :b, :c, 1)',
    ],
    [
      'sets next_turn_index, a number, to a text',
      "UPDATE mem_owner.thread t SET t.next_turn_index = 'x' WHERE t.tenant_id = :tenant_id",
    ],
  ])('%s', (problem, sql) => {
    expect(usageOf(sql).problems).toContain(problem);
  });

  it('and sees a table whose tenant is not said again', () => {
    const [first, second] = usageOf(
      'SELECT e.id FROM mem_owner.entity_memory AS OF SCN :scn e JOIN mem_owner.memory_link l ON l.source_id = e.id WHERE e.tenant_id = :tenant_id AND (e.user_id IS NULL OR e.user_id = :user_id)',
    ).tables;
    expect(first).toMatchObject({ alias: 'e', pastRead: true, boundTenant: true, boundUser: true });
    expect(second).toMatchObject({ alias: 'l', pastRead: false, boundTenant: false, boundUser: false });
  });
});
