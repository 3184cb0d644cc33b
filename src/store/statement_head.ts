// What a statement's file says of itself in its first comment lines: the binds it takes, in order, by name.

/** How a value travels to the database. A JSON value of null, and every other null, travels as the database's own NULL. */
export type BindType = 'text' | 'number' | 'flag' | 'json' | 'vector';

/** One bind. A `flag` is 1 or 0. */
export interface Bind {
  readonly name: string;
  readonly type: BindType;
}

/** A statement's head; in a dialect with numbered binds the first name is number 1, and types stand in the statement. */
export interface StatementHead {
  /** What the caller passes, in the same order in every dialect. */
  readonly binds: readonly Bind[];
  /** What the dialect makes of the caller's values. */
  readonly derived: readonly Bind[];
  /** What the session adds from its own trusted context, never from a caller's argument. */
  readonly context: readonly string[];
}

const types: ReadonlySet<string> = new Set(['text', 'number', 'flag', 'json', 'vector'] satisfies BindType[]);

function isBindType(text: string): text is BindType {
  return types.has(text);
}

/** Reads the head of a statement's file. Throws for a file that does not name its binds: the package is broken then. */
export function readStatementHead(sql: string): StatementHead {
  const binds = headLine(sql, 'binds');
  if (binds === null) throw new Error('A statement does not name its binds.');
  return {
    binds: binds.map(bindOf),
    derived: (headLine(sql, 'derived') ?? []).map(bindOf),
    context: headLine(sql, 'context') ?? [],
  };
}

/** The names of a head's line, which goes on in lines that are indented by three spaces; null without such a line. */
function headLine(sql: string, label: string): readonly string[] | null {
  const found = new RegExp(`^-- ${label}: (.*(?:\\n--   .*)*)$`, 'm').exec(sql)?.[1];
  if (found === undefined) return null;
  const text = found.replaceAll(/\n--\s+/g, ' ').trim();
  return text === 'none' ? [] : text.split(', ');
}

function bindOf(text: string): Bind {
  const [name = '', type = 'text', ...rest] = text.split(' ');
  if (!/^[a-z][a-z0-9_]*$/.test(name) || !isBindType(type) || rest.length > 0) {
    throw new Error(`A statement names a bind that is none: ${text}`);
  }
  return { name, type };
}
