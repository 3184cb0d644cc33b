// Parses Oracle SQL with a published grammar of PL/SQL. The grammar is older than 26ai: clauses that it does not know are
// rewritten first, each by a rule of its own. Parsing is slow, so what was accepted is recorded, and only other texts are parsed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A clause newer than the grammar, and what stands for it. */
interface Rewriting {
  readonly why: string;
  readonly pattern: RegExp;
  readonly replacement: string;
}

/** Applied in this order; every rule must still be needed by some statement. */
export const rewritings: readonly Rewriting[] = [
  {
    why: 'commands of SQLcl, which the database never sees',
    pattern: /^(?:SET|WHENEVER|UNDEFINE|PROMPT|ACCEPT|SHOW)\b[^\n]*$/gm,
    replacement: '',
  },
  { why: 'substitution of SQLcl', pattern: /&&?(\w+)\.?/g, replacement: '$1' },
  {
    why: 'IF NOT EXISTS and IF EXISTS of DDL, 23ai',
    pattern:
      /\b(CREATE\s+(?:USER|(?:GLOBAL TEMPORARY )?TABLE|SEQUENCE|(?:UNIQUE |VECTOR |SEARCH )?INDEX)|DROP\s+\w+)\s+IF\s+(?:NOT\s+)?EXISTS\b/g,
    replacement: '$1',
  },
  { why: 'users without a password, 18c', pattern: /\bNO AUTHENTICATION\b/g, replacement: 'IDENTIFIED EXTERNALLY' },
  { why: 'ACCESSIBLE BY of a subprogram, 12.2', pattern: /\s+ACCESSIBLE BY \([^)]*\)/g, replacement: '' },
  {
    why: 'COLLECTION, a word that only the grammar reserves',
    pattern: /\bcollection\b/g,
    replacement: 'collection_name',
  },
  {
    why: 'the JSON type as what a function returns, 21c',
    pattern: /\bRETURNING JSON\b/g,
    replacement: 'RETURNING CLOB',
  },
  {
    why: 'JSON as text, 19c',
    pattern: /\bJSON_SERIALIZE\(([^()]+) RETURNING CLOB\)/g,
    replacement: 'TO_CLOB($1)',
  },
  { why: 'vector columns, 23ai', pattern: /\bVECTOR\(\*, (?:FLOAT32|BINARY)\)/g, replacement: 'RAW(2000)' },
  {
    why: 'vectors of any dimensions, 23ai',
    pattern: /\bTO_VECTOR\(([^,()]+), \*, (\w+)\)/g,
    replacement: 'TO_VECTOR($1, 0, $2)',
  },
  { why: 'how exact a row limit is, 23ai', pattern: /\bFETCH (?:APPROX|EXACT) FIRST\b/g, replacement: 'FETCH FIRST' },
  { why: 'search indexes over JSON, 12.2', pattern: /\bCREATE SEARCH INDEX\b/g, replacement: 'CREATE INDEX' },
  {
    why: 'what they index',
    pattern: /^FOR JSON PARAMETERS\b/gm,
    replacement: 'INDEXTYPE IS CTXSYS.CONTEXT PARAMETERS',
  },
  { why: 'vector indexes, 23ai', pattern: /\bCREATE VECTOR INDEX\b/g, replacement: 'CREATE INDEX' },
  {
    why: 'how a vector index is built, 23ai',
    pattern: /\bORGANIZATION (?:INMEMORY NEIGHBOR GRAPH|NEIGHBOR PARTITIONS)\b[\s\S]*$/g,
    replacement: '',
  },
];

/** A text that the grammar can read. */
export function olderSql(sql: string): string {
  return rewritings.reduce((text, { pattern, replacement }) => text.replaceAll(pattern, replacement), sql);
}

/** Which texts the grammar has accepted, by their hashes; scripts/parse_oracle.ts writes it. */
export const recordPath = join(import.meta.dirname, 'parsed.json');

// Changes when the way of parsing does.
const version = '2';

/** What stands in the record for a statement, whatever its comments say. */
export function parsedHash(statement: string): string {
  const text = olderSql(statement.replaceAll(/^\s*--.*$/gm, '')).trim();
  return createHash('sha256').update(version).update('\0').update(text).digest('hex');
}

/** The hashes of the record; none where it is missing. */
export function readRecord(): ReadonlySet<string> {
  return new Set(existsSync(recordPath) ? (JSON.parse(readFileSync(recordPath, 'utf8')) as string[]) : []);
}

/** What the grammar says against one statement, each as line:column and a message; none where it parses. */
export async function parseErrors(statement: string): Promise<readonly string[]> {
  const text = olderSql(statement).trim();
  return text === '' ? [] : await parse(terminated(text));
}

/** Programs end with a slash, statements of SQL with a semicolon. */
function terminated(text: string): string {
  return /;\s*$/.test(text) ? `${text}\n/\n` : `${text};`;
}

/** What the tests need of the generated parser; its own types lean on those of a package that hides them. */
interface Recognizer {
  removeErrorListeners(): void;
  addErrorListener(listener: object): void;
}
interface Parser extends Recognizer {
  readonly _input: { readonly tokenSource: Recognizer };
  readonly _interp: { predictionMode: number };
  sql_script(): unknown;
}

async function parse(text: string): Promise<readonly string[]> {
  // Loaded when something has to be parsed: it is large.
  const { getParserFromInput } = await import('@griffithswaite/ts-plsql-parser');
  const parser = getParserFromInput(text) as unknown as Parser;
  const errors: string[] = [];
  const listener = {
    // What would have been expected instead is a list of all words of the language.
    syntaxError: (_recognizer: unknown, _symbol: unknown, line: number, column: number, message: string) =>
      void errors.push(`${line}:${column} ${message.replace(/ expecting [\s\S]*$/, '')}`),
    reportAmbiguity: () => {},
    reportAttemptingFullContext: () => {},
    reportContextSensitivity: () => {},
  };
  for (const recognizer of [parser, parser['_input'].tokenSource]) {
    recognizer.removeErrorListeners();
    recognizer.addErrorListener(listener);
  }
  // The faster way of predicting (SLL) refuses nothing less: what it accepts, the grammar accepts.
  parser['_interp'].predictionMode = 0;
  parser.sql_script();
  return errors;
}
