// The command line itself: help, versions, what is refused, and how a failure is told. Nothing here opens a store.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandTable } from '../../src/command/command_table.ts';
import { projectRoot, run, runJson, temporaryFolder } from './run_program.ts';

const folder = temporaryFolder();
afterAll(() => folder.discard());

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));

describe('help', () => {
  it('lists commands, variables and exit codes', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of commandTable.keys()) expect(stdout).toContain(`  ${name} `);
    expect(stdout).toContain('CONTEXT_DATA_DIR');
    expect(stdout).toContain('130  interrupted');
  });

  it.each([...commandTable.keys()])('explains the command %s, by --help and by help', async (name) => {
    const [asOption, asCommand] = await Promise.all([run([name, '--help']), run(['help', name])]);
    expect(asOption).toEqual(asCommand);
    expect(asOption.code).toBe(0);
    expect(asOption.stdout).toContain(`Usage\n  context-assembly-memory ${name}`);
    expect(asOption.stdout).toContain('--env-file FILE');
  });

  it('goes to stderr with the exit code for a wrong command line when no command is given', async () => {
    const { code, stdout, stderr } = await run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Commands');
  });

  it('prints the version', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('a wrong command line', () => {
  it.each([
    [['bogus'], 'There is no command "bogus".', 'stdio, http, demo'],
    [['--json', 'doctor'], 'The option \\"--json\\" stands before a command', '--help'],
    [['doctor', '--bogus'], "Unknown option '--bogus'", 'Usage: context-assembly-memory doctor'],
    [['stdio', '--json'], "Unknown option '--json'", 'Usage: context-assembly-memory stdio'],
    [['assemble'], 'An argument is missing.', 'assemble QUESTION'],
    [['assemble', 'two', 'words'], 'text with spaces belongs in quotes', 'assemble QUESTION'],
    [['assemble', ' '], 'The question is empty.', 'assemble QUESTION'],
    [['assemble', 'x', '--intent', 'guess'], 'must be one of comparison', 'assemble QUESTION'],
    [['assemble', 'x', '--intent'], "Option '--intent <value>' argument missing", 'assemble QUESTION'],
    [['doctor', 'x'], '"x" is one too many', 'Usage: context-assembly-memory doctor'],
    [['init', '--json=yes'], "Option '--json' does not take an argument", 'Usage: context-assembly-memory init'],
  ])('%j is refused in plain words', async (args, message, action) => {
    const { code, stdout, stderr } = await run(args, { CONTEXT_DATA_DIR: join(folder.path, 'unused') });
    const isJson = args[0] === '--json';
    expect(code).toBe(2);
    expect(isJson ? stdout : stderr).toContain(message);
    expect(isJson ? stdout : stderr).toContain(action);
    expect(stderr).not.toContain('    at ');
  });

  it('is one JSON value on stdout with --json, and stderr stays empty', async () => {
    const { code, stderr, json } = await runJson(['doctor', 'x']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(json).toEqual({
      error: {
        code: 'usage',
        message: expect.stringContaining('one too many'),
        action: expect.stringContaining('Usage:'),
        request_id: expect.stringMatching(/^req_[0-9a-f]{16}$/),
      },
    });
  });
});

describe('the configuration', () => {
  it.each([
    [{ CONTEXT_ENGINE: 'mysql' }, 'CONTEXT_ENGINE is "mysql", but must be embedded, postgres or oracle.'],
    [{ CONTEXT_LOG_LEVEL: 'loud' }, 'CONTEXT_LOG_LEVEL is "loud"'],
    [{ CONTEXT_USER_ID: '' }, 'CONTEXT_USER_ID is empty.'],
    [{ CONTEXT_PROVIDER_COUNT: '1' }, 'CONTEXT_MODEL_URL is not set'],
  ])('%j stops the start with the name of the variable', async (given, message) => {
    const { code, stdout, stderr } = await run(['doctor'], given);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain('code: invalid_configuration');
  });

  it('stops stdio too, before anything is served', async () => {
    const { code, stdout, stderr } = await run(['stdio'], { CONTEXT_TENANT_ID: '' });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('CONTEXT_TENANT_ID is empty.');
  });

  it('never shows a secret', async () => {
    const key = 'sk-secret with space';
    const { code, stderr } = await run(['doctor'], { CONTEXT_MODEL_API_KEY: key });
    expect(code).toBe(3);
    expect(stderr).toContain('CONTEXT_MODEL_API_KEY');
    expect(stderr).not.toContain('sk-secret');
  });

  it('reads a file of variables only when asked, and the environment goes first', async () => {
    const file = join(folder.path, 'variables.env');
    writeFileSync(
      file,
      `CONTEXT_DATA_DIR=${join(folder.path, 'none')}\nCONTEXT_TENANT_ID=from-file\nCONTEXT_AGENT_ID=a\n`,
    );
    const asked = await runJson(['doctor', '--env-file', file], { CONTEXT_TENANT_ID: 'from-environment' });
    const scope = asked.json.checks.find((check: { name: string }) => check.name === 'scope').says;
    expect(scope).toContain('tenant from-environment,');
    expect(scope).toContain('agent a,');
    const missing = await run(['doctor', '--env-file', join(folder.path, 'nothing.env')]);
    // Node 20 looks for an option of this name itself, wherever it stands, and then it is Node that refuses.
    expect([3, 9]).toContain(missing.code);
    expect(missing.stderr).toContain('nothing.env');
  });
});
