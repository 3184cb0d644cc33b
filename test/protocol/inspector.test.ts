// The Inspector's command line against the built package, in both eras: what a stranger would try first.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { projectRoot, serverEnvironment, temporaryFolder } from './harness.ts';

// Each step starts the Inspector, which starts the server: seconds each on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const run = promisify(execFile);
const folder = temporaryFolder();
const program = join(projectRoot, 'dist', 'main.js');
const settings = {
  CONTEXT_DATA_DIR: join(folder.path, 'data'),
  CONTEXT_LOG_LEVEL: 'silent',
  CONTEXT_OWNER_IDLE_SECONDS: '1',
};
const inspector = join(projectRoot, 'node_modules', '.bin', 'mcp-inspector');

beforeAll(async () => {
  await run('npm', ['run', 'build'], { cwd: projectRoot });
  await run(process.execPath, [program, 'apply', join(projectRoot, 'examples', 'apply_example.json')], {
    env: serverEnvironment(settings),
  });
});
afterAll(() => folder.remove());

/** One call of the Inspector: a new process of the server each time, as `--cli` does. */
async function inspect(era: 'legacy' | 'modern', ...options: readonly string[]): Promise<Record<string, unknown>> {
  const environment = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const { stdout } = await run(
    inspector,
    [
      '--cli',
      process.execPath,
      program,
      'stdio',
      ...environment,
      '--protocol-era',
      era,
      '--format',
      'json',
      ...options,
    ],
    { cwd: folder.path, env: { ...serverEnvironment({}), HOME: folder.path } },
  );
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  return (printed['result'] ?? printed) as Record<string, unknown>;
}

const call = async (era: 'legacy' | 'modern', tool: string, args: Record<string, unknown>) =>
  (await inspect(era, '--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)))[
    'structuredContent'
  ] as { readonly memories: readonly { readonly id: string; readonly content: string }[]; readonly status?: string };

describe.each(['legacy', 'modern'] as const)('the Inspector (%s)', (era) => {
  it('[T1] lists the four tools, whose schemas it finds portable', async () => {
    const { tools } = await inspect(era, '--method', 'tools/list', '--strict');
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual([
      'clarify',
      'expand',
      'lookup_entity',
      'search_memory',
    ]);
  });

  it('[T4] calls each of them', async () => {
    const found = await call(era, 'search_memory', { query: 'What should I do after a power cut?', limit: 1 });
    expect(found.memories).toHaveLength(1);
    const expanded = await call(era, 'expand', { memory_id: found.memories[0]!.id });
    expect(expanded.memories[0]?.id).toBe(found.memories[0]!.id);
    const fact = await call(era, 'lookup_entity', { subject: 'host:attic', predicate: 'ip_address' });
    expect(fact.memories[0]?.content).toContain('192.168.20.5');
    expect(await call(era, 'clarify', { question: 'Which server do you mean?' })).toMatchObject({
      status: 'ask_in_reply',
    });
  });

  it('[T7,T8] reads a resource and gets the prompt', async () => {
    const { contents } = await inspect(era, '--method', 'resources/read', '--uri', 'memory://guidelines');
    expect((contents as { text: string }[])[0]?.text).toContain('Name the machine');
    const prompt = ['--method', 'prompts/get', '--prompt-name', 'context_window', '--prompt-args'];
    const { messages } = await inspect(era, ...prompt, 'question=Which address has the attic server?');
    expect(messages).toHaveLength(2);
  });
});
