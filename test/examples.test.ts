// The examples are true: the program takes their variables, hosts take their entries, and no secret is written down.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { commandTable } from '../src/command/command_table.ts';
import { readConfig, unknownVariables, variables } from '../src/config.ts';
import { hosts } from '../src/connect/hosts.ts';

const projectRoot = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const machine = { platform: 'linux', home: '/home/ada', userName: 'ada' } as const;

// Serving over HTTP joins the table of commands and that of variables with the transport itself; until then the
// configuration knows the names of its variables as those of another part.
const commands = new Set([...commandTable.keys(), 'http']);

/** Names that neither the table of variables nor another part of the program has. */
function unknownIn(environment: Readonly<Record<string, string>>): readonly string[] {
  const known = new Set<string>(variables.map(({ name }) => name));
  const others = Object.keys(environment).filter((name) => !name.startsWith('CONTEXT_') && !known.has(name));
  return [...unknownVariables(environment), ...others];
}

describe('mcp.config.example.json', () => {
  interface Entry {
    readonly type?: string;
    readonly command?: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly url?: string;
  }
  const { mcpServers }: { readonly mcpServers: Readonly<Record<string, Entry>> } = JSON.parse(
    read('mcp.config.example.json'),
  );
  const local = Object.entries(mcpServers).filter(([, { command }]) => command !== undefined);

  it('has an entry for each way: a folder, a database server of each kind, an address', () => {
    expect(Object.keys(mcpServers)).toHaveLength(4);
    expect(local.map(([, { env = {} }]) => readConfig(env, machine).engine)).toEqual([
      'embedded',
      'postgres',
      'oracle',
    ]);
  });

  it.each(local)('%s is configured with variables that exist, for somebody', (_, { command, args, env = {} }) => {
    expect([command, ...(args ?? [])]).toEqual(['npx', '-y', 'context-assembly-memory', 'stdio']);
    expect(unknownIn(env)).toEqual([]);
    const config = readConfig(env, machine);
    expect(config.tenantId).not.toBe('');
    expect(config.userId).not.toBe('');
  });

  it('names an address as Claude Code does', () => {
    const remote = Object.values(mcpServers).find(({ url }) => url !== undefined);
    expect(remote).toEqual(hosts.get('claude-code')?.remote(remote?.url ?? ''));
  });
});

describe('examples/compose.yaml', () => {
  interface Service {
    readonly image: string;
    readonly command?: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  }
  const text = read('examples/compose.yaml');
  const given = parseEnv(read('examples/compose.env.example'));
  const {
    services,
    configs,
  }: {
    readonly services: Readonly<Record<string, Service>>;
    readonly configs: Readonly<Record<string, { readonly content: string }>>;
  } = parseYaml(text, { merge: true });
  const ours = Object.entries(services).filter(([, { image }]) => image === 'context-assembly-memory');

  /** A service's variables with the values of the example file, as Compose puts them in. */
  const environmentOf = ({ environment }: Service): Record<string, string> =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(/\$\{(\w+):[?-]\}/g, (_, inner: string) => given[inner] ?? ''),
      ]),
    );

  it('starts everything in its order, and two servers', () => {
    expect(Object.keys(services)).toEqual(['database', 'migrate', 'init', 'http-1', 'http-2', 'proxy']);
    expect(ours.map(([, { command = [] }]) => command[0])).toEqual(['migrate', 'init', 'http', 'http']);
    for (const [, { command = [] }] of ours) expect(commands).toContain(command[0]);
    const waits = Object.values(services).flatMap(({ depends_on: on = {} }) => Object.keys(on));
    expect(waits.filter((name) => !(name in services))).toEqual([]);
  });

  it.each(ours)('%s has variables that the program knows, with values that it takes', (_, service) => {
    const environment = environmentOf(service);
    expect(unknownIn(environment)).toEqual([]);
    expect(readConfig(environment, machine).engine).toBe('postgres');
  });

  it('gives each process the logins that it needs and no others', () => {
    const logins = (name: string) =>
      Object.keys(services[name]?.environment ?? {}).filter((one) => one.startsWith('DATABASE_'));
    expect(logins('http-1')).toEqual(['DATABASE_URL']);
    expect(logins('http-2')).toEqual(['DATABASE_URL']);
    expect(logins('init')).toEqual(['DATABASE_OPERATOR_URL']);
    expect(logins('migrate').toSorted()).toEqual(['DATABASE_OPERATOR_URL', 'DATABASE_OWNER_URL', 'DATABASE_URL']);
  });

  it('takes every secret and every name of yours from the file of variables', () => {
    const asked = new Set([...text.matchAll(/(?<!\$)\$\{(\w+):[?-]\}/g)].map(([, name = '']) => name));
    expect([...asked].toSorted()).toEqual(Object.keys(given).toSorted());
    // No other form of a reference, which would be empty without a word.
    expect(text.match(/(?<!\$)\$(?!\{\w+:[?-]\}|\$)/g)).toBeNull();
    for (const [, { environment }] of ours) {
      for (const [name, value] of Object.entries(environment)) {
        if (name.startsWith('DATABASE_')) expect(value).toMatch(/^postgres:\/\/\w+:\$\{\w+_PASSWORD:\?\}@/);
      }
    }
  });

  it('listens where the proxy asks, and for tokens of the proxy’s own name', () => {
    const environment = environmentOf(services['http-1'] ?? { image: '', environment: {} });
    for (const name of ['http-1', 'http-2']) {
      expect(configs['proxy']?.content).toContain(`${name}:${environment['CONTEXT_PORT']}`);
    }
    expect(environment['CONTEXT_AUTH_AUDIENCE']).toBe(`https://${given['PUBLIC_NAME']}/mcp`);
    expect(environment['CONTEXT_AUTH']).not.toBe('none');
  });

  it('makes the logins that the addresses name', () => {
    const users = new Set(
      ours.flatMap(([, service]) =>
        Object.values(environmentOf(service)).flatMap((value) =>
          value.startsWith('postgres://') ? [new URL(value).username] : [],
        ),
      ),
    );
    for (const user of users) expect(configs['logins']?.content).toContain(`create role ${user} login`);
  });
});

describe('examples/compose.oracle.yaml', () => {
  interface Service {
    readonly image: string;
    readonly command?: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  }
  const text = read('examples/compose.oracle.yaml');
  const given = parseEnv(read('examples/compose.env.example'));
  const {
    services,
    configs,
  }: {
    readonly services: Readonly<Record<string, Service>>;
    readonly configs: Readonly<Record<string, { readonly content?: string; readonly file?: string }>>;
  } = parseYaml(text, { merge: true });
  const ours = Object.entries(services).filter(([, { image }]) => image === 'context-assembly-memory');
  const script = configs['principals_script']?.content ?? '';
  const environmentOf = ({ environment }: Service): Record<string, string> =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(/\$\{(\w+):[?-]\}/g, (_, inner: string) => given[inner] ?? ''),
      ]),
    );

  it('starts everything in its order', () => {
    expect(Object.keys(services)).toEqual(['database', 'principals', 'migrate', 'init', 'http']);
    expect(ours.map(([, { command = [] }]) => command[0])).toEqual(['migrate', 'init', 'http']);
    for (const [, { command = [] }] of ours) expect(commands).toContain(command[0]);
    const waits = Object.values(services).map(({ depends_on: on = {} }) => Object.entries(on));
    expect(waits.flat().map(([name, { condition }]) => `${name} ${condition}`)).toEqual([
      'database service_healthy',
      'principals service_completed_successfully',
      'migrate service_completed_successfully',
      'init service_completed_successfully',
    ]);
  });

  it('gives each process the logins that it needs and no others', () => {
    const logins = (name: string) =>
      Object.keys(services[name]?.environment ?? {}).filter((one) => /^DB_.*USER$/.test(one));
    expect(logins('http')).toEqual(['DB_USER']);
    expect(logins('init')).toEqual(['DB_OPERATOR_USER']);
    expect(logins('migrate')).toEqual(['DB_OWNER_USER']);
  });

  it.each(ours)('%s has variables that the program knows, with values that it takes', (_, service) => {
    const environment = environmentOf(service);
    expect(unknownIn(environment)).toEqual([]);
    const engine: string = readConfig(environment, machine).engine;
    expect(engine).toBe('oracle');
  });

  it('takes every secret and every name of yours from the file of variables', () => {
    const asked = new Set([...text.matchAll(/(?<!\$)\$\{(\w+):[?-]\}/g)].map(([, name = '']) => name));
    expect([...asked].toSorted()).toEqual(Object.keys(given).toSorted());
    expect(text.match(/(?<!\$)\$(?!\{\w+:[?-]\}|\$)/g)).toBeNull();
    for (const [, { environment }] of Object.entries(services)) {
      for (const [name, value] of Object.entries(environment)) {
        if (name.endsWith('PASSWORD')) expect(value).toMatch(/^\$\{\w+_PASSWORD:\?\}$/);
      }
    }
  });

  it('defines what the script of the principals asks for, and makes the logins that the processes have', () => {
    const path = configs['principals']?.file ?? '';
    const principals = readFileSync(join(projectRoot, 'examples', path), 'utf8');
    const asked = new Set([...principals.matchAll(/&&(\w+)/g)].map(([, name = '']) => name));
    const defined = [...script.matchAll(/^DEFINE (\w+) =/gm)].map(([, name = '']) => name);
    expect(defined.toSorted()).toEqual([...asked].toSorted());
    const users = ours.flatMap(([, service]) =>
      Object.entries(environmentOf(service)).flatMap(([name, value]) => (/^DB_.*USER$/.test(name) ? [value] : [])),
    );
    expect(users).toHaveLength(3);
    const made = [...`${principals}${script}`.matchAll(/CREATE USER IF NOT EXISTS (\w+) IDENTIFIED BY/g)];
    expect(made.map(([, user = '']) => user).toSorted()).toEqual(users.toSorted());
    expect(script).toContain('DEFINE migration_login = memory_migration');
  });
});
