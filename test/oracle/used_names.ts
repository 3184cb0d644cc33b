// Which tables and columns a statement uses, read from its brackets: each SELECT, INSERT, UPDATE or DELETE is a scope
// whose FROM says what its aliases are, and inner ones see the aliases of outer ones.
import type { Column, Relation, TypeClass } from './catalogue.ts';
import { typeClassOf } from './catalogue.ts';
import { cutAt, findWord, isGroup, isSymbol, nodesOf, wordOf } from './tokens.ts';
import type { Node, Token } from './tokens.ts';

/** What an alias stands for; null columns: anything (a collection of PL/SQL). */
interface Source {
  readonly relation: string | null;
  readonly columns: ReadonlyMap<string, TypeClass>;
  readonly pastRead: boolean;
}

type Sources = ReadonlyMap<string, Source>;

/** One table with its alias in one scope, and what its scope demands of it. */
export interface TableUse {
  readonly relation: string;
  readonly alias: string;
  readonly pastRead: boolean;
  /** `alias.tenant_id = :tenant_id` and `alias.user_id = :user_id` stand in the same scope. */
  readonly boundTenant: boolean;
  readonly boundUser: boolean;
}

/** What a statement uses, and what is wrong with it. */
export interface Usage {
  readonly tables: readonly TableUse[];
  readonly problems: readonly string[];
  /** Names of the columns that the statement gives, of its last SELECT or of the objects put into :result. */
  readonly result: readonly { readonly name: string; readonly typeClass: TypeClass }[];
}

const statementWords = ['select', 'with', 'insert', 'update', 'delete'];
const fromEnds = [
  'where',
  'start',
  'group',
  'order',
  'fetch',
  'for',
  'connect',
  'having',
  'union',
  'returning',
  'set',
  'values',
];
const joinWords = new Set(['join', 'left', 'right', 'full', 'inner', 'outer', 'cross', 'natural']);

/** Reads a statement against what the schema defines. */
export function readUsage(sql: string, relations: ReadonlyMap<string, Relation>, programs: ReadonlySet<string>): Usage {
  const reader = new UsageReader(relations, programs);
  const nodes = nodesOf(sql);
  const isProgram = ['begin', 'declare'].includes(wordOf(nodes[0]) ?? '');
  if (isProgram) reader.readProgram(nodes, new Map());
  else reader.readQuery(nodes, new Map());
  return { tables: reader.tables, problems: reader.problems, result: isProgram ? reader.objects : reader.last };
}

class UsageReader {
  readonly tables: TableUse[] = [];
  readonly problems: string[] = [];
  objects: Usage['result'] = [];
  last: Usage['result'] = [];
  readonly #relations: ReadonlyMap<string, Relation>;
  readonly #programs: ReadonlySet<string>;

  constructor(relations: ReadonlyMap<string, Relation>, programs: ReadonlySet<string>) {
    this.#relations = relations;
    this.#programs = programs;
  }

  /** PL/SQL: statement by statement; a loop's variable has the columns of its query from there on. */
  readProgram(nodes: readonly Node[], outer: Sources): void {
    const sources = new Map(outer);
    for (const segment of cutAt(nodes, ';')) {
      const start = findWord(segment, statementWords);
      segment.slice(0, start).forEach((node, index) => {
        const variable = wordOf(segment[index - 2]);
        if (!isGroup(node) || !startsQuery(node)) return;
        const columns = this.readQuery(node, sources);
        if (wordOf(segment[index - 1]) === 'in' && wordOf(segment[index - 3]) === 'for' && variable !== null)
          sources.set(variable, { relation: null, columns: new Map(columns), pastRead: false });
      });
      if (start < segment.length && !segment.slice(start).some((node) => isSymbol(node, ':='))) {
        this.readQuery(segment.slice(start), sources);
        if (isResult(segment)) this.objects = objectKeys(segment);
      }
      this.#checkNames(segment.slice(0, start), sources);
    }
  }

  /** A statement of SQL, with its WITH list and the parts of its UNION; gives the columns of its first part. */
  readQuery(nodes: readonly Node[], outer: Sources): readonly (readonly [string, TypeClass])[] {
    const sources = new Map(outer);
    let rest = nodes;
    if (wordOf(rest[0]) === 'with') {
      let at = 1;
      while (wordOf(rest[at + 1]) === 'as' && isGroup(rest[at + 2])) {
        const columns = this.readQuery(rest[at + 2] as readonly Node[], sources);
        sources.set(`with ${wordOf(rest[at])}`, { relation: null, columns: new Map(columns), pastRead: false });
        at += isSymbol(rest[at + 3], ',') ? 4 : 3;
      }
      rest = rest.slice(at);
    }
    const parts: (readonly Node[])[] = [];
    for (let union = findWord(rest, ['union']); union < rest.length; union = findWord(rest, ['union'])) {
      parts.push(rest.slice(0, union));
      rest = rest.slice(union + (wordOf(rest[union + 1]) === 'all' ? 2 : 1));
    }
    const columns = [...parts, rest].map((part) => this.#readBlock(part, sources));
    this.last = columns[0]!.map(([name, typeClass]) => ({ name, typeClass }));
    return columns[0]!;
  }

  #readBlock(nodes: readonly Node[], outer: Sources): readonly (readonly [string, TypeClass])[] {
    const sources = new Map(outer);
    const first = wordOf(nodes[0]);
    if (first === 'insert') return this.#readInsert(nodes, sources);
    const from = first === 'update' ? 0 : findWord(nodes, ['from']);
    if (from < nodes.length) this.#readFrom(nodes, from + 1, sources);
    this.#checkNames(nodes, sources);
    if (first === 'update') this.#checkAssignments(nodes, sources);
    return first === 'select' ? this.#selectList(nodes, from, sources) : [];
  }

  /** Tables of a FROM list with their aliases, JSON_TABLEs, inner queries. */
  #readFrom(nodes: readonly Node[], start: number, sources: Map<string, Source>): void {
    const added: [string, Source][] = [];
    const add = (alias: string | null, source: Source): void => {
      if (alias === null) this.problems.push(`a source without an alias`);
      else {
        sources.set(alias, source);
        added.push([alias, source]);
      }
    };
    for (let at = start; at < nodes.length && !fromEnds.includes(wordOf(nodes[at]) ?? ''); at += 1) {
      const expectsSource = at === start || isSymbol(nodes[at - 1], ',') || wordOf(nodes[at - 1]) === 'join';
      if (!expectsSource) continue;
      const node = nodes[at];
      if (isGroup(node)) {
        add(wordOf(nodes[at + 1]), {
          relation: null,
          columns: new Map(this.readQuery(node, sources)),
          pastRead: false,
        });
      } else if (wordOf(node) === 'json_table') {
        add(wordOf(nodes[at + 2]), { relation: null, columns: jsonColumns(nodes[at + 1]), pastRead: false });
        this.#checkNames(nodes[at + 1] as readonly Node[], sources);
      } else if (wordOf(node) === 'sys') {
        add(wordOf(nodes[at + 3]), anything);
      } else if (isSymbol(nodes[at + 1], '.')) {
        const name = `${wordOf(node)}.${wordOf(nodes[at + 2])}`;
        const pastRead = wordOf(nodes[at + 3]) === 'as' && wordOf(nodes[at + 4]) === 'of';
        // AS OF SCN with a bind, a variable, or a function of one.
        const alias = wordOf(nodes[at + (pastRead ? (isGroup(nodes[at + 7]) ? 8 : 7) : 3)]);
        add(isAlias(alias) ? alias : (wordOf(nodes[at + 2]) ?? ''), this.#relation(name, pastRead));
      } else if (wordOf(node) !== 'dual') {
        const name = wordOf(node) ?? '';
        const known = sources.get(`with ${name}`);
        if (known !== undefined) add(wordOf(nodes[at + 1]), known);
        else if (!dictionary.has(name)) this.problems.push(`unknown source ${name}`);
        else add(wordOf(nodes[at + 1]), anything);
      }
    }
    for (const [alias, source] of added) {
      if (source.relation === null) continue;
      this.tables.push({
        relation: source.relation,
        alias,
        pastRead: source.pastRead,
        boundTenant: equates(nodes, alias, 'tenant_id'),
        boundUser: equates(nodes, alias, 'user_id'),
      });
    }
  }

  #relation(name: string, pastRead: boolean): Source {
    const relation = this.#relations.get(name);
    if (relation === undefined) {
      this.problems.push(`unknown table ${name}`);
      return anything;
    }
    const columns = [...relation.columns.values()].map((column: Column) => [column.name, column.typeClass] as const);
    return { relation: name, columns: new Map(columns), pastRead };
  }

  /** Qualified names of a scope at every depth, inner queries read as scopes of their own. */
  #checkNames(nodes: readonly Node[], sources: Sources): void {
    nodes.forEach((node, index) => {
      if (isGroup(node)) {
        if (startsQuery(node)) this.readQuery(node, sources);
        else this.#checkNames(node, sources);
        return;
      }
      const owner = wordOf(node);
      const member = wordOf(nodes[index + 2]);
      if (owner === null || member === null || !isSymbol(nodes[index + 1], '.') || isSymbol(nodes[index - 1], '.'))
        return;
      if (owner === 'sys') return;
      if (owner === 'mem_owner' || owner === 'mem_sec') {
        const name = `${owner}.${member}`;
        const known = this.#relations.has(name) || this.#programs.has(name) || models.has(name);
        if (!known) this.problems.push(`unknown name ${name}`);
        return;
      }
      const source = sources.get(owner);
      if (source === undefined) {
        if (!/^(?:v|p|dbms)_|_t$/.test(owner)) this.problems.push(`unknown alias ${owner}.${member}`);
      } else if (source !== anything && !source.columns.has(member)) {
        this.problems.push(`no column ${owner}.${member}`);
      } else this.#checkComparison(nodes, index, source.columns.get(member) ?? 'unknown', sources);
    });
  }

  /** `a.b = c.d` compares values of one class. */
  #checkComparison(nodes: readonly Node[], index: number, left: TypeClass, sources: Sources): void {
    const [operator, first, dot, second] = nodes.slice(index + 3, index + 7);
    if (!['=', '<>', '<', '>', '<=', '>='].some((symbol) => isSymbol(operator, symbol)) || !isSymbol(dot, '.')) return;
    const right = sources.get(wordOf(first) ?? '')?.columns.get(wordOf(second) ?? '') ?? 'unknown';
    if (left !== right && left !== 'unknown' && right !== 'unknown')
      this.problems.push(`compares ${left} with ${right}: ${wordOf(nodes[index])}.${wordOf(nodes[index + 2])}`);
  }

  #checkAssignments(nodes: readonly Node[], sources: Sources): void {
    const set = findWord(nodes, ['set']);
    const end = findWord(nodes, ['where'], set);
    for (const assignment of cutAt(nodes.slice(set + 1, end), ',')) {
      const source = sources.get(wordOf(assignment[0]) ?? '');
      const target = source?.columns.get(wordOf(assignment[2]) ?? '');
      const given = this.#classOf(assignment.slice(4), sources);
      if (target !== undefined && given !== 'unknown' && given !== target)
        this.problems.push(`sets ${wordOf(assignment[2])}, a ${target}, to a ${given}`);
    }
  }

  /** INSERT INTO owner.table (columns) VALUES (…) or SELECT …: as many values as columns, of fitting classes. */
  #readInsert(nodes: readonly Node[], sources: Sources): readonly (readonly [string, TypeClass])[] {
    const into = findWord(nodes, ['into']);
    const name = `${wordOf(nodes[into + 1])}.${wordOf(nodes[into + 3])}`;
    const { columns } = this.#relation(name, false);
    const listAt = nodes.findIndex((node, index) => index > into && isGroup(node));
    const names = cutAt(nodes[listAt] as readonly Node[], ',').map((part) => wordOf(part[0]) ?? '');
    for (const column of names) if (!columns.has(column)) this.problems.push(`no column ${name}.${column}`);
    const required = [...(this.#relations.get(name)?.columns.values() ?? [])].filter((column) => column.required);
    for (const { name: column } of required)
      if (!names.includes(column) && !madeByTheDatabase.has(column)) this.problems.push(`${name} needs ${column}`);
    const values = nodes[listAt + 2];
    const isList = wordOf(nodes[listAt + 1]) === 'values' && isGroup(values);
    const given = isList
      ? cutAt(values, ',').map((part) => this.#classOf(part, sources))
      : this.readQuery(nodes.slice(listAt + 1), sources).map(([, typeClass]) => typeClass);
    if (isList) this.#checkNames(values, sources);
    if (given.length !== names.length)
      this.problems.push(`${name}: ${given.length} values for ${names.length} columns`);
    names.forEach((column, index) => {
      const target = columns.get(column) ?? 'unknown';
      const value = given[index] ?? 'unknown';
      if (target !== value && target !== 'unknown' && value !== 'unknown')
        this.problems.push(`${name}.${column} is a ${target} and gets a ${value}`);
    });
    return [];
  }

  #selectList(nodes: readonly Node[], from: number, sources: Sources): readonly (readonly [string, TypeClass])[] {
    const first = wordOf(nodes[1]) === 'distinct' ? 2 : 1;
    return cutAt(nodes.slice(first, Math.min(from, findWord(nodes, ['into']))), ',').map((item) => {
      const as = findWord(item, ['as']);
      const name = as < item.length ? wordOf(item[as + 1]) : wordOf(item.at(-1));
      return [name ?? '', this.#classOf(item.slice(0, as), sources)] as const;
    });
  }

  /** The class of an expression as far as it shows. */
  #classOf(nodes: readonly Node[], sources: Sources): TypeClass {
    const [first, dot, second, ...more] = nodes;
    const word = wordOf(first);
    if (first === undefined) return 'unknown';
    if (!isGroup(first) && first.kind === 'string' && dot === undefined) return 'text';
    if (!isGroup(first) && first.kind === 'number' && dot === undefined) return 'number';
    if (word === null) return 'unknown';
    if (isSymbol(dot, '.') && more.length === 0)
      return sources.get(word)?.columns.get(wordOf(second) ?? '') ?? 'unknown';
    if (isGroup(dot) && second === undefined) {
      const isText = wordOf(dot.at(-2)) === 'returning' && wordOf(dot.at(-1)) === 'clob';
      return isText ? 'text' : (functionClasses.get(word) ?? castClass(word, dot));
    }
    return 'unknown';
  }
}

const anything: Source = { relation: null, columns: new Map(), pastRead: false };
const dictionary = new Set([
  'all_tables',
  'all_policies',
  'all_objects',
  'all_indexes',
  'all_mining_models',
  'dba_flashback_archive_tables',
  'v$parameter',
  'nls_database_parameters',
  'all_procedures',
  'all_mining_model_attributes',
  'session_privs',
  'product_component_version',
]);
const models = new Set(['mem_owner.mem_embedder', 'mem_owner.mem_reranker']);
const madeByTheDatabase = new Set(['event_order', 'run_order', 'user_key', 'agent_key', 'applied_at']);
const functionClasses: ReadonlyMap<string, TypeClass> = new Map([
  ['to_char', 'text'],
  ['chr', 'text'],
  ['lower', 'text'],
  ['sys_context', 'text'],
  ['to_timestamp', 'time'],
  ['sys_extract_utc', 'time'],
  ['count', 'number'],
  ['sum', 'number'],
  ['round', 'number'],
  ['json', 'json'],
  ['json_query', 'json'],
  ['json_array', 'json'],
  ['json_arrayagg', 'json'],
  ['json_object', 'json'],
  ['to_vector', 'vector'],
  ['vector_embedding', 'vector'],
  ['vector_distance', 'number'],
]);

function castClass(word: string, group: readonly Node[]): TypeClass {
  if (word !== 'cast') return 'unknown';
  return typeClassOf(wordOf(group[findWord(group, ['as']) + 1]) ?? '');
}

function startsQuery(nodes: readonly Node[]): boolean {
  return ['select', 'with'].includes(wordOf(nodes[0]) ?? '');
}

function isAlias(word: string | null): word is string {
  return word !== null && !fromEnds.includes(word) && !joinWords.has(word) && word !== 'on';
}

/** COLUMNS of a JSON_TABLE, nested ones too. */
function jsonColumns(node: Node | undefined): ReadonlyMap<string, TypeClass> {
  if (!isGroup(node)) return new Map();
  const lists = node.flatMap((inner, index) =>
    isGroup(inner) && wordOf(node[index - 1]) === 'columns' ? cutAt(inner, ',') : [],
  );
  return new Map(
    lists.flatMap((part): (readonly [string, TypeClass])[] => {
      if (wordOf(part[0]) === 'nested') return [...jsonColumns(part)];
      const type = wordOf(part[1]) ?? '';
      return [[wordOf(part[0]) ?? '', type === 'for' ? 'number' : typeClassOf(type)]];
    }),
  );
}

/** True where `alias.column = :column` stands at some depth of a scope. */
function equates(nodes: readonly Node[], alias: string, column: string): boolean {
  return nodes.some((node, index) => {
    if (isGroup(node)) return !startsQuery(node) && equates(node, alias, column);
    const value = nodes[index + 4];
    return (
      wordOf(node) === alias &&
      isSymbol(nodes[index + 1], '.') &&
      wordOf(nodes[index + 2]) === column &&
      isSymbol(nodes[index + 3], '=') &&
      value !== undefined &&
      !isGroup(value) &&
      value.kind === 'bind' &&
      value.text === column
    );
  });
}

function isResult(nodes: readonly Node[]): boolean {
  const into = findWord(nodes, ['into']);
  const target = nodes[into + 1];
  return target !== undefined && !isGroup(target) && target.kind === 'bind' && target.text === 'result';
}

/** The keys of the first JSON_OBJECT at any depth. */
function objectKeys(nodes: readonly Node[]): Usage['result'] {
  for (const [index, node] of nodes.entries()) {
    if (!isGroup(node)) continue;
    if (wordOf(nodes[index - 1]) !== 'json_object') {
      const inner = objectKeys(node);
      if (inner.length > 0) return inner;
      continue;
    }
    return node.flatMap((part, place): Usage['result'] =>
      wordOf(node[place + 1]) === 'value' ? [{ name: (part as Token).text, typeClass: 'unknown' }] : [],
    );
  }
  return [];
}
