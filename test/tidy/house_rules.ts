// House rules that a machine can see: purity, sizes, names, words, SQL, docstrings and barrels.
import { findingAt } from './sources.ts';
import type { Finding, Source } from './sources.ts';

const pureFolders = /^src\/(?:assembly|retrieval|model|check|diff)\//;

/** What the pure core must not name in its code. */
const impurities: readonly (readonly [RegExp, string])[] = [
  [/(?<![.\w$])Date\s*\.\s*(?!UTC\b)\w+/g, 'of Date only Date.UTC and new Date(number)'],
  [/(?<![.\w$])(?<!new\s+)Date\s*\(/g, 'reads the clock'],
  [/\bnew\s+Date\b(?!\s*\()/g, 'reads the clock'],
  [/\bnew\s+Date\s*\(\s*[)'"`]/g, 'reads the clock, or parses text by the machine’s rules'],
  [/\bMath\s*\.\s*random\b/g, 'random'],
  [/\b(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/g, 'random'],
  [/(?<![.\w$])process\s*(?:\.|\[)/g, 'process'],
  [/(?<![.\w$])performance\s*\./g, 'reads the clock'],
  [/(?<![.\w$])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g, 'timers'],
  [/(?<![.\w$])(?:async|await)\b(?!\s*:)/g, 'asynchronous code'],
  [/(?<![.\w$])(?:Promise|PromiseLike)\b/g, 'asynchronous code'],
  [/(?<![.\w$])console\s*\./g, 'output'],
  [/(?<![.\w$])globalThis\b/g, 'reaches for the process'],
  [/(?<![.\w$])fetch\s*\(/g, 'I/O'],
  [/\b(?:localeCompare|toLocale\w+)\b/g, 'depends on the machine’s locale; compare by code unit'],
];

/** Clock, random, process, I/O and asynchronous code in the pure folders. */
export function checkPurity(sources: readonly Source[]): Finding[] {
  return sources
    .filter((source) => pureFolders.test(source.path))
    .flatMap((source) => [
      ...impurities.flatMap(([pattern, why]) =>
        [...source.code.matchAll(pattern)].map((match) =>
          findingAt(source, match.index, 'purity', `\`${match[0].trim()}\`: ${why}`),
        ),
      ),
      ...source.literals
        .filter((literal) => /^node:(?!crypto$)/.test(literal.text))
        .map((literal) => findingAt(source, literal.offset, 'purity', `\`${literal.text}\`: I/O`)),
    ]);
}

/** Files longer than the limit, in lines. */
export function checkSize(sources: readonly Source[], limit: number): Finding[] {
  return sources.flatMap((source) => {
    const lines = source.text.replace(/\n$/, '').split('\n').length;
    return lines <= limit
      ? []
      : [{ path: source.path, line: lines, rule: 'file size', detail: `${lines} lines, at most ${limit}` }];
  });
}

const sql =
  /\b(select\s+[^;]+?\s+from|insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+(?:or\s+replace\s+)?(?:table|role|function|policy)|alter\s+table)\b/i;
const transactionControl =
  /^\s*(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|SET LOCAL|SET ROLE|RESET ROLE|(?:select|SELECT) set_config)\b/;

/** SQL in string and template literals; transaction control is allowed in src/store alone. */
export function checkSql(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) =>
    source.literals.flatMap((literal) => {
      const statement = sql.exec(literal.text)?.[0];
      if (statement !== undefined)
        return [
          findingAt(
            source,
            literal.offset,
            'SQL outside schema/',
            `\`${statement.replace(/\s+/g, ' ').slice(0, 60)}\``,
          ),
        ];
      if (transactionControl.test(literal.text) && !source.path.startsWith('src/store/'))
        return [findingAt(source, literal.offset, 'SQL outside schema/', 'transaction control belongs to src/store')];
      return [];
    }),
  );
}

const engineNames = new Set(['embedded', 'pglite', 'postgres', 'postgresql', 'oracle']);

/** Comparisons with an engine's name: capabilities are data; only the composition root and its configuration choose. */
export function checkEngineNames(sources: readonly Source[]): Finding[] {
  return sources
    .filter((source) => source.path !== 'src/main.ts' && source.path !== 'src/config.ts')
    .flatMap((source) =>
      source.literals
        .filter((literal) => engineNames.has(literal.text.toLowerCase()))
        .filter(
          (literal) =>
            /(?:[=!]==?|\bcase)\s*$/.test(source.code.slice(Math.max(0, literal.offset - 20), literal.offset)) ||
            /^\s*[=!]==?/.test(source.code.slice(literal.end, literal.end + 20)),
        )
        .map((literal) => findingAt(source, literal.offset, 'engine name', `branches on \`${literal.text}\``)),
    );
}

const emptyNames = new Set(['index', 'utils', 'util', 'helpers', 'helper']);

/** Names that say nothing, and names that are not snake_case; folders too. */
export function checkNames(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    const names = source.path.replace(/(?:\.test)?\.(?:ts|mjs)$/, '').split('/');
    const bad = names.find((name) => !/^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(name));
    if (bad !== undefined) return [findingAt(source, 0, 'file name', `\`${bad}\` is not snake_case`)];
    const empty = names.find((name) => emptyNames.has(name));
    return empty === undefined
      ? []
      : [findingAt(source, 0, 'file name', `\`${empty}\` says nothing about what it holds`)];
  });
}

/** Words that mark unfinished work, anywhere in a file. */
export function checkWords(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) =>
    [...source.text.matchAll(/\b(?:TO[D]O|FIX[M]E)\b/g)].map((match) =>
      findingAt(source, match.index, 'unfinished work', match[0]),
    ),
  );
}

/** Whole-module re-exports, and files that hold nothing but re-exports. */
export function checkBarrels(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    const star = /^export\s+(?:type\s+)?\*/m.exec(source.code);
    if (star !== null) return [findingAt(source, star.index, 'barrel', 'export * hides where a name lives')];
    const rest = source.code.replace(/^(?:import|export)\s+(?:type\s+)?\{[^}]*\}\s*from\s*['"]\s*['"];?/gm, '').trim();
    const onlyReexports = rest === '' && /^export\b/m.test(source.code);
    return onlyReexports ? [findingAt(source, 0, 'barrel', 'the file only exports what others hold')] : [];
  });
}

const documented = /^src\/(?:model\/|assembly\/|check\/|diff\/|manager\/|store\/store\.ts$)/;
const declaration =
  /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class|type|interface|namespace)\s+([\w$]+)/gm;

/** Exports of the documented folders without a docstring directly above; of overloads the first needs it. */
export function checkDocstrings(sources: readonly Source[]): Finding[] {
  return sources
    .filter((source) => documented.test(source.path))
    .flatMap((source) => {
      const seen = new Set<string>();
      return [...source.code.matchAll(declaration)].flatMap((match) => {
        const name = match[1] ?? '';
        const above = source.text.slice(0, match.index).trimEnd();
        const comment = source.comments.find((candidate) => candidate.end === above.length);
        const has = seen.has(name) || comment?.text.startsWith('/**') === true;
        seen.add(name);
        return has ? [] : [findingAt(source, match.index, 'docstring', `export \`${name}\` has none directly above`)];
      });
    });
}
