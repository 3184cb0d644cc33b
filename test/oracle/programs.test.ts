// What runs inside the database: the programs of the scripts name what exists, and erasure reaches what it must.
import { describe, expect, it } from 'vitest';
import { scriptStatements } from '../../src/store/oracle/script.ts';
import { createQueries, queryNames, readMigrations } from '../../src/store/sql_files.ts';
import { readCatalogue } from './catalogue.ts';
import { readUsage } from './used_names.ts';

const { relations, programs } = readCatalogue();
const queries = createQueries('oracle');

// Words that PL/SQL keeps for itself beside those of SQL; as the field of a record they would have to be quoted.
const keptWord =
  /^(?:type|size|share|mode|start|view|index|table|option|resource|public|exists|values|level|date|number|user)$/i;

/** Bodies of packages, functions and triggers by name, the newest of each, as blocks. */
function bodies(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const statement of readMigrations('oracle').flatMap(({ sql }) => scriptStatements(sql))) {
    const text = statement.replaceAll(/^\s*--.*$/gm, '').trim();
    const [, kind, name] = /^CREATE OR REPLACE (PACKAGE BODY|FUNCTION|TRIGGER) ([\w.]+)/.exec(text) ?? [];
    if (kind === undefined || name === undefined) continue;
    const start = text.search(kind === 'TRIGGER' ? /\b(?:DECLARE|BEGIN)\b/ : /(?<=\b(?:AS|IS)\b)/);
    found.set(name, kind === 'TRIGGER' ? text.slice(start) : `DECLARE ${text.slice(start)}`);
  }
  return found;
}

const bodyOf = bodies();
const erasure = bodyOf.get('mem_owner.erasure') ?? '';
const erasedTables = [...erasure.matchAll(/v_counts\.put\('(\w+)', SQL%ROWCOUNT\)/g)].map(([, table = '']) => table);

describe('programs of the schema for Oracle (not run on Oracle here)', () => {
  it.each([...bodyOf.keys()])('[N2] %s names only tables and columns that exist', (name) => {
    expect(readUsage(bodyOf.get(name) ?? '', relations, programs).problems).toEqual([]);
  });

  it('[N2] are read to their ends', () => {
    expect(readUsage(erasure, relations, programs).tables.length).toBeGreaterThan(100);
    const broken = erasure.replace('SET t.context_length = 0', 'SET t.contents_length = 0');
    expect(readUsage(broken, relations, programs).problems).toEqual(['no column t.contents_length']);
  });

  it('[E1] erase from the same tables as on PostgreSQL, in the same order, and count each', () => {
    const [, list = ''] =
      /erasure_tables\(\)[\s\S]*?from \(values([\s\S]*?)\) as t \(/.exec(
        readMigrations('postgres').find(({ name }) => name === '010_erasure')?.sql ?? '',
      ) ?? [];
    const onPostgres = [...list.matchAll(/\(\d+, '(\w+)'/g)].map(([, table = '']) => table);
    expect(onPostgres.length).toBe(20);
    expect(erasedTables.filter((table) => table !== 'memory_posting')).toEqual(onPostgres);
    const counted = [...erasure.matchAll(/DELETE FROM mem_owner\.(\w+) e\s[^;]*;\s*v_counts\.put\('(\w+)'/g)];
    expect(counted.map(([, from, into]) => from === into)).toEqual(erasedTables.map(() => true));
  });

  it('[E1] erase from every table that holds memory or what was made of it', () => {
    const kept = [
      'deletion_events',
      'erasure_ref',
      'history_horizon',
      'history_mark',
      'index_tenant',
      'retention_turn',
    ];
    const ofTenants = [...relations.values()]
      .filter(({ isView, primaryKey }) => !isView && primaryKey[0] === 'tenant_id')
      .map(({ name }) => name.replace('mem_owner.', ''));
    expect(erasedTables.toSorted()).toEqual(
      ofTenants.filter((table) => ![...kept, 'toolbox_change'].includes(table)).toSorted(),
    );
  });

  it('[N2] widen a context in one program alone, and narrow it whatever happens', () => {
    const widening = [...bodyOf].filter(([, body]) => /mem_ctx\.see_tenant/.test(body)).map(([name]) => name);
    expect(widening).toEqual(['mem_sec.gone_refs']);
    expect(bodyOf.get('mem_sec.gone_refs')).toMatch(/WHEN OTHERS THEN\s+mem_sec\.mem_ctx\.see_own;\s+RAISE;/);
    const operating = [...bodyOf].filter(([, body]) => /mem_ctx\.enter_operator\(/.test(body)).map(([name]) => name);
    expect(operating).toEqual(['mem_sec.operator_ctx', 'mem_sec.retention', 'mem_sec.operator_switch']);
    for (const name of operating.slice(1))
      expect(bodyOf.get(name)).toMatch(/WHEN OTHERS THEN\s+mem_sec\.mem_ctx\.leave;\s+RAISE;/);
  });

  it('[N2] and those of statements name no field of a loop with a word that PL/SQL keeps', () => {
    const texts = [...bodyOf, ...queryNames('oracle').map((name) => [name, queries(name)] as const)];
    const loops = texts.flatMap(([name, text]) =>
      [...text.matchAll(/\bFOR (\w+) IN\b/g)].flatMap(([, variable = '']) =>
        [...text.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))].map(([, field = '']) => ({ name, field })),
      ),
    );
    expect(loops.length).toBeGreaterThan(50);
    expect(loops.filter(({ field }) => keptWord.test(field))).toEqual([]);
  });
});
