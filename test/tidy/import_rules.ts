// Which folder may import what: calls run transport → auth → manager → {store, assembly}, and the pure core knows nobody.
import { findingAt, importsOf, resolveRelative } from './sources.ts';
import type { Finding, Source } from './sources.ts';

/** What one zone of src may import; a zone always may import itself. `all` is for the composition root. */
type Zone = { readonly zones: readonly string[] | 'all'; readonly builtins: readonly string[] | 'all' };

/** Zones of src: a folder or a file; a file belongs to the longest zone that holds it. */
const zones: Readonly<Record<string, Zone>> = {
  model: { zones: [], builtins: [] },
  assembly: { zones: ['model'], builtins: ['node:crypto'] },
  retrieval: { zones: ['model'], builtins: ['node:crypto'] },
  // Pure as the assembly is, but it decides no bytes of a window; it splits sentences as the summariser does.
  check: { zones: ['model', 'assembly'], builtins: [] },
  diff: { zones: ['model'], builtins: [] },
  // Documents of other programs as blocks and passages; it splits sentences as the summariser does.
  ingest: { zones: ['model', 'assembly'], builtins: [] },
  tokens: { zones: ['model'], builtins: 'all' },
  // How a service is asked: with patience, and without a word of memory in what is told of a failure.
  service: { zones: [], builtins: [] },
  rerank: { zones: ['model', 'service', 'onnx', 'rerank/reranker.ts'], builtins: 'all' },
  embed: { zones: ['model', 'service', 'onnx', 'embed/embedder.ts'], builtins: 'all' },
  // Ports, which a store with models of its own offers too; they are asynchronous, so the vocabulary cannot hold them.
  'rerank/reranker.ts': { zones: ['model'], builtins: [] },
  'embed/embedder.ts': { zones: [], builtins: [] },
  // Models on this machine: found in a folder, run in a process of their own.
  onnx: { zones: ['model'], builtins: 'all' },
  // The built-in one is the pure one of the assembly.
  summarise: { zones: ['model', 'assembly', 'service'], builtins: 'all' },
  auth: { zones: ['model', 'log.ts'], builtins: 'all' },
  // The port and its values, and what reads policies and seed files: everything of the store but its engines.
  store: { zones: ['model', 'embed/embedder.ts', 'rerank/reranker.ts', 'log.ts'], builtins: 'all' },
  // What the port's methods make of named statements, alike in every dialect.
  'store/statements': { zones: ['model', 'store'], builtins: ['node:crypto'] },
  // What the searches of one principal read, kept in memory and kept true.
  'store/resident': { zones: ['model', 'store', 'store/statements'], builtins: [] },
  'store/postgres': {
    zones: ['model', 'store', 'store/statements', 'store/resident', 'log.ts'],
    builtins: 'all',
  },
  'store/oracle': {
    zones: ['model', 'store', 'store/statements', 'embed/embedder.ts', 'rerank/reranker.ts', 'log.ts'],
    builtins: 'all',
  },
  manager: {
    zones: [
      'model',
      'assembly',
      'retrieval',
      'check',
      'diff',
      'ingest',
      'tokens',
      'rerank',
      'rerank/reranker.ts',
      'embed',
      'embed/embedder.ts',
      'summarise',
      'auth',
      'store',
      'log.ts',
    ],
    builtins: 'all',
  },
  transport: { zones: ['model', 'auth', 'manager', 'log.ts'], builtins: 'all' },
  // Loaded by every host's process, so it brings along nothing of the program it leads to.
  owner: { zones: ['model'], builtins: 'all' },
  // Edits of hosts' files are functions of their text; the disk and the process have a room each.
  connect: { zones: ['model'], builtins: ['node:path', 'node:util'] },
  'connect/config_file.ts': { zones: ['model', 'connect', 'owner'], builtins: 'all' },
  'connect/this_program.ts': { zones: ['connect'], builtins: 'all' },
  command: {
    zones: [
      'model',
      'auth',
      'manager',
      'check',
      'diff',
      'ingest',
      'transport',
      'store',
      'owner',
      'connect',
      'connect/config_file.ts',
      'connect/this_program.ts',
      'log.ts',
      'config.ts',
      'database_server.ts',
      'oracle_logins.ts',
      'http_settings.ts',
      'model_settings.ts',
    ],
    builtins: 'all',
  },
  'log.ts': { zones: ['model'], builtins: 'all' },
  'config.ts': {
    zones: [
      'model',
      'config_values.ts',
      'database_server.ts',
      'http_settings.ts',
      'model_settings.ts',
      'model_variables.ts',
      'data_folder.ts',
    ],
    builtins: 'all',
  },
  'config_values.ts': { zones: [], builtins: [] },
  'database_server.ts': { zones: ['oracle_logins.ts'], builtins: [] },
  'oracle_logins.ts': { zones: ['model'], builtins: [] },
  'http_settings.ts': { zones: ['model', 'auth'], builtins: 'all' },
  'model_settings.ts': { zones: ['model', 'model_variables.ts'], builtins: [] },
  'model_variables.ts': { zones: ['config_values.ts'], builtins: [] },
  'data_folder.ts': { zones: ['model'], builtins: 'all' },
  'provider_count.ts': { zones: ['model', 'config.ts', 'log.ts'], builtins: 'all' },
  'compose.ts': { zones: 'all', builtins: 'all' },
  'measures.ts': { zones: 'all', builtins: 'all' },
  'try_models.ts': { zones: 'all', builtins: [] },
  'once.ts': { zones: [], builtins: [] },
  'server_stores.ts': { zones: 'all', builtins: 'all' },
  'library.ts': { zones: 'all', builtins: 'all' },
  'main.ts': { zones: 'all', builtins: 'all' },
  'program_help.ts': { zones: 'all', builtins: 'all' },
  'program.ts': { zones: 'all', builtins: 'all' },
  'this_process.ts': { zones: 'all', builtins: 'all' },
  'stdio_relay.ts': { zones: 'all', builtins: 'all' },
  'remote_command.ts': { zones: 'all', builtins: 'all' },
  'own_directory.ts': { zones: 'all', builtins: 'all' },
};

/** Packages and the places of src that may load them: zones, or files by pattern (`*` within one name). */
const packages: Readonly<Record<string, readonly string[] | 'anywhere'>> = {
  '@modelcontextprotocol/server': ['transport'],
  '@modelcontextprotocol/client': ['transport', 'command/demo*.ts'],
  '@modelcontextprotocol/node': ['transport'],
  '@opentelemetry/api': ['transport'],
  '@electric-sql/pglite': ['store/postgres'],
  '@electric-sql/pglite-pgvector': ['store/postgres'],
  '@huggingface/tokenizers': ['embed'],
  '@huggingface/transformers': ['onnx'],
  '@secretlint/core': ['store', 'manager'],
  '@secretlint/secretlint-rule-preset-recommend': ['store', 'manager'],
  ajv: ['manager', 'transport'],
  canonicalize: 'anywhere',
  jose: ['auth'],
  'jsonc-parser': ['connect'],
  marked: ['ingest'],
  oracledb: ['store/oracle'],
  parse5: ['ingest'],
  pg: ['store/postgres'],
  pino: ['log.ts'],
  'smol-toml': ['connect'],
  tiktoken: ['tokens'],
  unpdf: ['ingest'],
  zod: [
    'config.ts',
    'config_values.ts',
    'database_server.ts',
    'oracle_logins.ts',
    'http_settings.ts',
    'model_settings.ts',
    'model_variables.ts',
    'auth',
    'ingest',
    'store',
    'store/statements',
    'store/resident',
    'store/postgres',
    'store/oracle',
  ],
};

const order = Object.keys(zones).toSorted((a, b) => b.length - a.length);

/** The zone of a path under src, or undefined when the table has none. */
function zoneOf(path: string): string | undefined {
  const inside = path.replace(/^src\//, '');
  return order.find((zone) => inside === zone || inside.startsWith(`${zone}/`));
}

function matches(path: string, place: string): boolean {
  if (!place.includes('*')) return zoneOf(path) === place;
  const pattern = place.split('*').map((part) => part.replace(/[.]/g, '\\.'));
  return new RegExp(`^src/${pattern.join('[^/]*')}$`).test(path);
}

function refusal(path: string, zone: string, specifier: string): string | undefined {
  const rules = zones[zone];
  if (rules === undefined) return `no rule for ${zone}`;
  if (specifier.startsWith('.')) {
    const target = resolveRelative(path, specifier);
    if (!target.startsWith('src/')) return `${specifier} leads out of src`;
    const targetZone = zoneOf(target);
    if (targetZone === undefined) return `${target} belongs to no zone`;
    if (targetZone === zone || rules.zones === 'all' || rules.zones.includes(targetZone)) return undefined;
    return `${zone} must not import ${targetZone} (${specifier})`;
  }
  if (specifier.startsWith('node:')) {
    if (rules.builtins === 'all' || rules.builtins.includes(specifier)) return undefined;
    return `${zone} must not import ${specifier}`;
  }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const places = packages[name];
  if (places === undefined) return `package ${name} is in no row of the table`;
  if (zone === 'model') return `model imports nothing, not even ${name}`;
  if (places === 'anywhere' || places.some((place) => matches(path, place))) return undefined;
  return `package ${name} belongs to ${places.join(', ')}, not to ${zone}`;
}

/** Imports that the tables do not allow, and files of src that belong to no zone. */
export function checkImports(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    const zone = zoneOf(source.path);
    if (zone === undefined)
      return [findingAt(source, 0, 'import allowlist', 'the file belongs to no zone of the table')];
    return importsOf(source).flatMap(({ specifier, offset }) => {
      const detail =
        specifier === undefined ? 'a computed import cannot be checked' : refusal(source.path, zone, specifier);
      return detail === undefined ? [] : [findingAt(source, offset, 'import allowlist', detail)];
    });
  });
}

/** Cycles of relative imports among the sources, type-only and dynamic ones included; one finding for each. */
export function checkCycles(sources: readonly Source[]): Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const done = new Set<string>();
  const stack: string[] = [];
  const findings: Finding[] = [];
  const visit = (source: Source): void => {
    stack.push(source.path);
    for (const { specifier, offset } of importsOf(source)) {
      if (!specifier?.startsWith('.')) continue;
      const target = resolveRelative(source.path, specifier);
      const start = stack.indexOf(target);
      const next = byPath.get(target);
      if (start !== -1)
        findings.push(findingAt(source, offset, 'import cycle', [...stack.slice(start), target].join(' → ')));
      else if (next !== undefined && !done.has(target)) visit(next);
    }
    stack.pop();
    done.add(source.path);
  };
  for (const source of sources) if (!done.has(source.path)) visit(source);
  return findings;
}

/** Paths that can be reached from the starting files by relative imports, those files included. */
export function reachable(sources: readonly Source[], starts: readonly string[]): ReadonlySet<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const seen = new Set<string>();
  const queue = [...starts];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const source = byPath.get(path);
    if (source === undefined || seen.has(path)) continue;
    seen.add(path);
    for (const { specifier } of importsOf(source))
      if (specifier?.startsWith('.')) queue.push(resolveRelative(path, specifier));
  }
  return seen;
}
