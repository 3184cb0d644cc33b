// What schema/oracle defines, read from its own text: tables with columns and types, views, policies, grants, programs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptStatements } from '../../src/store/oracle/script.ts';
import { readMigrations, sqlFolder } from '../../src/store/sql_files.ts';
import { cutAt, findWord, isGroup, nodesOf, wordOf } from './tokens.ts';
import type { Node } from './tokens.ts';

/** What kind of value a type holds; values of different classes are never compared or stored in one another. */
export type TypeClass = 'text' | 'number' | 'time' | 'json' | 'boolean' | 'vector' | 'unknown';

/** A column as declared. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly typeClass: TypeClass;
  readonly required: boolean;
}

/** A table or view; a view's columns have no types of their own. */
export interface Relation {
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
  readonly isView: boolean;
}

/** A call of DBMS_RLS.ADD_POLICY, by the helper procedures of the scripts. */
export interface Policy {
  readonly table: string;
  readonly function: string;
  readonly statements: readonly string[];
}

/** A grant on an object of an owner. */
export interface Grant {
  readonly privileges: readonly string[];
  readonly object: string;
  readonly grantees: readonly string[];
}

/** All that the numbered scripts define. */
export interface Catalogue {
  readonly relations: ReadonlyMap<string, Relation>;
  readonly policies: readonly Policy[];
  readonly grants: readonly Grant[];
  /** Packages, functions and sequences as owner.name. */
  readonly programs: ReadonlySet<string>;
}

const classes: readonly (readonly [RegExp, TypeClass])[] = [
  [/^(varchar2|clob|char)/, 'text'],
  [/^(number|binary_double|binary_float)/, 'number'],
  [/^timestamp/, 'time'],
  [/^json/, 'json'],
  [/^boolean/, 'boolean'],
  [/^vector/, 'vector'],
];

/** The class of a type as written. */
export function typeClassOf(type: string): TypeClass {
  return classes.find(([pattern]) => pattern.test(type))?.[1] ?? 'unknown';
}

function textOf(nodes: readonly Node[]): string {
  return nodes.map((node): string => (isGroup(node) ? `(${textOf(node)})` : node.text)).join(' ');
}

function columnOf(nodes: readonly Node[]): Column {
  const [name, type, size] = nodes;
  const written = `${wordOf(type)}${isGroup(size) ? `(${textOf(size)})` : ''}`;
  const constraint = findWord(nodes, ['not']);
  return {
    name: wordOf(name)!,
    type: written,
    typeClass: typeClassOf(written),
    required: constraint < nodes.length && wordOf(nodes[constraint + 1]) === 'null',
  };
}

/** The owner and name that stand at a place as `owner.name`. */
function qualifiedAt(nodes: readonly Node[], place: number): string {
  return `${wordOf(nodes[place])}.${wordOf(nodes[place + 2])}`;
}

function tableOf(nodes: readonly Node[], at: number): Relation {
  const body = nodes.find(isGroup)!;
  const parts = cutAt(body, ',');
  const columns = parts.filter((part) => wordOf(part[0]) !== 'constraint').map(columnOf);
  const key = parts.find((part) => wordOf(part[0]) === 'constraint' && wordOf(part[2]) === 'primary');
  const keyColumns = (key?.find(isGroup) ?? []).flatMap((node) => wordOf(node) ?? []);
  return {
    name: qualifiedAt(nodes, at),
    columns: new Map(columns.map((column) => [column.name, column])),
    primaryKey: keyColumns,
    isView: false,
  };
}

function viewOf(nodes: readonly Node[], at: number): Relation {
  const names = nodes.find(isGroup)!.flatMap((node) => wordOf(node) ?? []);
  const columns = names.map((name): Column => ({ name, type: '', typeClass: 'unknown', required: false }));
  return {
    name: qualifiedAt(nodes, at),
    columns: new Map(columns.map((column) => [column.name, column])),
    primaryKey: [],
    isView: true,
  };
}

function stringsOf(group: readonly Node[]): readonly string[] {
  return group.flatMap((node) => (!isGroup(node) && node.kind === 'string' ? [node.text] : []));
}

function policiesOf(nodes: readonly Node[]): readonly Policy[] {
  return nodes.flatMap((node, index): Policy[] => {
    const call = wordOf(node);
    const group = nodes[index + 1];
    if (!isGroup(group) || (call !== 'guard' && call !== 'guard_rows')) return [];
    const [table, , name, statements] = stringsOf(group);
    if (table === undefined) return [];
    const all = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
    if (call === 'guard_rows') {
      return [
        { table: `mem_owner.${table.toLowerCase()}`, function: 'VISIBLE', statements: all },
        { table: `mem_owner.${table.toLowerCase()}`, function: 'WRITABLE', statements: all.slice(1) },
      ];
    }
    if (name === undefined || statements === undefined) return [];
    return [{ table: `mem_owner.${table.toLowerCase()}`, function: name, statements: statements.split(',') }];
  });
}

function grantOf(nodes: readonly Node[]): Grant {
  const on = findWord(nodes, ['on']);
  const to = findWord(nodes, ['to'], on);
  return {
    privileges: cutAt(nodes.slice(1, on), ',').map(textOf),
    object: qualifiedAt(nodes, on + 1),
    grantees: cutAt(nodes.slice(to + 1), ',').map(textOf),
  };
}

/** Tables as a block of later changes leaves them: added columns, one that may be null, another key. */
function changesOf(block: string, relations: ReadonlyMap<string, Relation>): readonly Relation[] {
  const changed = new Map<string, Relation>();
  const change = (name: string, make: (table: Relation) => Relation): void => {
    const table = changed.get(name) ?? relations.get(name);
    if (table === undefined) throw new Error(`a change of ${name}, which is no table`);
    changed.set(name, make(table));
  };
  const withColumn = (table: Relation, column: Column): Relation => ({
    ...table,
    columns: new Map([...table.columns, [column.name, column]]),
  });
  for (const [, name = '', column = '', type = ''] of block.matchAll(
    /ALTER TABLE ([\w.]+) ADD \((\w+) (\w+\([^)]*\)) DEFAULT [^;]* NOT NULL\)/g,
  )) {
    const written = type.toLowerCase();
    change(name, (table) =>
      withColumn(table, { name: column, type: written, typeClass: typeClassOf(written), required: true }),
    );
  }
  for (const [, name = '', column = ''] of block.matchAll(/ALTER TABLE ([\w.]+) MODIFY \((\w+) NULL\)/g))
    change(name, (table) => withColumn(table, { ...table.columns.get(column)!, required: false }));
  for (const [, name = '', key = ''] of block.matchAll(
    /ALTER TABLE ([\w.]+) ADD CONSTRAINT \w+'\s*\|\| ' PRIMARY KEY \(([^)]*)\)/g,
  ))
    change(name, (table) => ({ ...table, primaryKey: key.split(', ') }));
  return [...changed.values()];
}

/** Reads the numbered scripts. */
export function readCatalogue(): Catalogue {
  const relations = new Map<string, Relation>();
  const policies: Policy[] = [];
  const grants: Grant[] = [];
  const programs = new Set<string>();
  for (const statement of readMigrations('oracle').flatMap(({ sql }) => scriptStatements(sql))) {
    const nodes = nodesOf(statement);
    const first = wordOf(nodes[0]);
    const kind = findWord(nodes, ['table', 'view', 'package', 'function', 'sequence', 'trigger', 'index', 'context']);
    // The name follows the kind, or IF NOT EXISTS.
    const at = wordOf(nodes[kind + 1]) === 'if' ? kind + 4 : kind + 1;
    if (first === 'create' && wordOf(nodes[kind]) === 'table')
      relations.set(qualifiedAt(nodes, at), tableOf(nodes, at));
    else if (first === 'create' && wordOf(nodes[kind]) === 'view')
      relations.set(qualifiedAt(nodes, at), viewOf(nodes, at));
    else if (first === 'create' && ['package', 'function', 'sequence'].includes(wordOf(nodes[kind]) ?? ''))
      programs.add(qualifiedAt(nodes, wordOf(nodes[at]) === 'body' ? at + 1 : at));
    else if (first === 'grant') grants.push(grantOf(nodes));
    else if (first === 'declare') {
      policies.push(...policiesOf(nodes));
      for (const changed of changesOf(statement, relations)) relations.set(changed.name, changed);
    }
  }
  return { relations, policies, grants, programs };
}

/** Every script of schema/oracle by its file name. */
export function readScript(name: string): string {
  return readFileSync(join(sqlFolder('oracle'), name), 'utf8');
}
