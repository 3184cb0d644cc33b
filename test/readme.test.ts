// README.md and docs/ say what is true: their commands run, their tables are the program's own, their examples validate.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodeMeanings } from '../src/command/exit_codes.ts';
import { variables } from '../src/config.ts';
import { errorCodes } from '../src/model/errors.ts';
import { defaultWeights } from '../src/retrieval/fuse.ts';
import { parseBudget, parseRetention, parseRetrieval } from '../src/store/policy_rows.ts';

const projectRoot = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const papers = ['README.md', ...readdirSync(join(projectRoot, 'docs')).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith('.md'),
);

/** A fenced block with what stands behind its opening fence. */
interface Block {
  readonly info: string;
  readonly text: string;
}

function blocksOf(path: string): readonly Block[] {
  return [...read(path).matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, info = '', text = '']) => ({
    info: info.trim(),
    text,
  }));
}

const blocksMarked = (path: string, info: string): readonly string[] =>
  blocksOf(path).flatMap((block) => (block.info === info ? [block.text] : []));

/** Body rows of the tables with this head, as cells without the backticks that enclose a whole cell. */
function tableRows(path: string, ...head: readonly string[]): readonly (readonly string[])[] {
  const lines = read(path).split('\n');
  const starts = lines.flatMap((line, place) => (line === `| ${head.join(' | ')} |` ? [place + 2] : []));
  return starts.flatMap((start) => {
    const body = lines.slice(start);
    return body
      .slice(
        0,
        body.findIndex((line) => !line.startsWith('|')),
      )
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
      );
  });
}

/** A command as words, with double quotes as a shell reads them. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** The arguments of this program in a command of the README, or null where it runs another one. */
function ourArguments(command: string): readonly string[] | null {
  const words = wordsOf(command);
  if (words[0] === 'node' && words[1] === 'dist/main.js') return words.slice(2);
  if (words[0] === 'npx' && words[1] === 'context-assembly-memory') return words.slice(2);
  return null;
}

const commands = blocksMarked('README.md', 'sh').flatMap((block) =>
  block
    .trim()
    .split(/\n|&&/)
    .map((command) => command.trim()),
);
const ours = commands.filter((command) => ourArguments(command) !== null);
const others = commands.filter((command) => ourArguments(command) === null);

const home = mkdtempSync(join(tmpdir(), 'context-readme-'));
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));

/** What a file prints when run from its sources, in a home of its own without any setting of ours; throws unless it ends with 0. */
async function runFile(file: string, args: readonly string[], folder = 'memory'): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CONTEXT_'));
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    cwd: projectRoot,
    env: {
      ...Object.fromEntries(inherited),
      HOME: home,
      NO_COLOR: '1',
      CONTEXT_OWNER_IDLE_SECONDS: '1',
      CONTEXT_DATA_DIR: join(home, folder),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${err || out}`);
  return out;
}

const run = async (args: readonly string[], folder?: string) => runFile('src/main.ts', args, folder);

describe('the commands of the README', () => {
  it('are of this program or are run by CI', () => {
    const ci = read('.ci/run').split('\n');
    const unknown = others.filter((command) => !ci.some((line) => `${line} `.startsWith(`${command} `)));
    expect(unknown).toEqual([]);
    expect(ours.length).toBeGreaterThan(0);
  });

  it.each(ours)('end well: %s', async (command) => {
    expect(await run(ourArguments(command) ?? [])).not.toBe('');
  });
});

describe('the library example of the README', () => {
  it('assembles a window from what the commands before it wrote', async () => {
    const [example] = blocksMarked('README.md', 'ts');
    const library = pathToFileURL(join(projectRoot, 'src', 'library.ts')).href;
    const file = join(home, 'library_example.mts');
    writeFileSync(file, example?.replace("'context-assembly-memory'", `'${library}'`) ?? '');
    expect(await runFile(file, [])).toMatch(/^2 \d+ run_\w+\n$/);
  });
});

/** Lines without the spaces that only align columns. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
}

describe('what the papers show of the demo', () => {
  let printed = new Set<string>();
  beforeAll(async () => {
    const out = await run(['demo']);
    printed = new Set(linesOf(out));
  });

  it.each(papers)('is what it prints: %s', (path) => {
    // A line of an ellipsis stands for lines that are left out.
    const shown = blocksMarked(path, 'text demo').flatMap(linesOf);
    expect(shown.filter((line) => line !== '…' && !printed.has(line))).toEqual([]);
  });
});

const reasonedPackages = (head: string) =>
  tableRows('docs/architecture.md', head, 'why').map((cells) => cells[0] ?? '');

describe('the tables', () => {
  it('list every variable with its default and meaning', () => {
    const expected = variables.map(({ name, default: value, meaning }) => [name, value === '' ? '–' : value, meaning]);
    expect(tableRows('README.md', 'variable', 'default', 'meaning')).toEqual(expected);
  });

  it('list every exit code with its meaning', () => {
    const expected = exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]);
    expect(tableRows('README.md', 'code', 'meaning')).toEqual(expected);
  });

  it('list every error code once and no other', () => {
    const listed = tableRows('docs/tools.md', 'code', 'meaning', 'what to do').map((cells) => cells[0] ?? '');
    expect(listed.toSorted()).toEqual([...errorCodes].toSorted());
  });

  it('give a reason for every dependency and for no other package', () => {
    const { dependencies, devDependencies }: Record<string, Record<string, string>> = JSON.parse(read('package.json'));
    expect(reasonedPackages('package').toSorted()).toEqual(Object.keys(dependencies ?? {}).toSorted());
    expect(reasonedPackages('for development').toSorted()).toEqual(Object.keys(devDependencies ?? {}).toSorted());
  });
});

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const prose = read(path).replace(/^```.*?^```$/gms, '');
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('the links', () => {
  it.each(papers)('of %s lead to files and headings that exist', (path) => {
    const prose = read(path).replace(/^```.*?^```$/gms, '');
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const place = file === '' ? path : join(dirname(path), file);
        if (!existsSync(join(projectRoot, place))) return true;
        return anchor !== undefined && !anchorsOf(place).has(anchor);
      });
    expect(broken).toEqual([]);
  });
});

describe('the examples of docs/policies.md', () => {
  const page = 'docs/policies.md';

  it('hold budgets that the store accepts', () => {
    const examples = blocksMarked(page, 'json budget');
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(() => parseBudget(JSON.parse(example))).not.toThrow();
  });

  it('hold retrieval policies that the store accepts', () => {
    const examples = blocksMarked(page, 'json retrieval');
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(() => parseRetrieval(JSON.parse(example))).not.toThrow();
  });

  it('hold retention policies that the store accepts', () => {
    const examples = blocksMarked(page, 'json retention');
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(() => parseRetention(JSON.parse(example))).not.toThrow();
  });

  it('stand beside the defaults that the store fills in', () => {
    const [budget = ''] = blocksMarked(page, 'json budget');
    const filled = { ...parseBudget(JSON.parse(budget)), ...parseRetrieval({}) };
    const written = tableRows(page, 'field', 'default', 'meaning');
    const plain = written.filter(([, value = '']) => /^[\d.]+$|^true$|_/.test(value));
    expect(plain.map(([field = '']) => [field, String(valueAt(filled, field))])).toEqual(
      plain.map(([field = '', value = '']) => [field, value]),
    );
    expect(plain.length).toBeGreaterThan(12);
    const [retrieval = ''] = blocksMarked(page, 'json retrieval');
    expect(parseRetrieval(JSON.parse(retrieval)).fusion.weights).toEqual(defaultWeights);
  });

  it('hold rows that apply writes', async () => {
    const examples = blocksMarked(page, 'json apply').map((text): Record<string, unknown[]> => JSON.parse(text));
    const lists = [...new Set(examples.flatMap((example) => Object.keys(example)))];
    const all = lists.map((list) => [list, examples.flatMap((example) => example[list] ?? [])] as const);
    const file = join(home, 'policies.json');
    writeFileSync(file, JSON.stringify(Object.fromEntries(all)));
    const applied: { rows: unknown[] } = JSON.parse(await run(['apply', file, '--json'], 'policies'));
    expect(applied.rows).toHaveLength(all.flatMap(([, rows]) => rows).length);
    expect(lists.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'documents',
      'entities',
      'guidelines',
      'persona',
      'toolbox',
      'workflows',
    ]);
  });

  it('are JSON, all of them, on every page', () => {
    const broken = papers.flatMap((path) =>
      blocksOf(path)
        .filter(({ info }) => info.startsWith('json'))
        .filter(({ text }) => !isJson(text))
        .map(({ text }) => `${path}: ${text.slice(0, 60)}`),
    );
    expect(broken).toEqual([]);
  });
});

/** The value at a path of a row's own names, in an object that has them in camel case or as they are. */
function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner: unknown, name) => {
    const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const members = Object(inner) as Record<string, unknown>;
    return members[camel] ?? members[name];
  }, value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
