// The Inspector's command line over HTTP with a bearer token, in both eras: what somebody would look at a server with.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openIdentityProvider, type IdentityProvider } from '../auth/identity_provider.ts';
import { janesClaims, openVerifier } from '../auth/verifier.ts';
import { openFixture, type Fixture } from '../fixture.ts';
import { projectRoot, serverEnvironment, temporaryFolder } from '../protocol/harness.ts';
import { openHttp, type HttpFixture } from './harness.ts';

// Each call starts the Inspector: a second or more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const folder = temporaryFolder();
let provider: IdentityProvider;
let fixture: Fixture;
let served: HttpFixture;
beforeAll(async () => {
  provider = await openIdentityProvider();
  fixture = await openFixture({ seeds: ['acme_policy.json', 'corpus_research.json'] });
  served = await openHttp(fixture, { judge: openVerifier(provider, { clock: Date.now }) });
});
afterAll(async () => {
  await served.close();
  await fixture.close();
  await provider.close();
  folder.remove();
});

async function inspect(token: string | null, ...options: readonly string[]): Promise<Record<string, unknown>> {
  const header = token === null ? [] : ['--header', `Authorization: Bearer ${token}`];
  const { stdout } = await run(
    join(projectRoot, 'node_modules', '.bin', 'mcp-inspector'),
    ['--cli', served.url, '--transport', 'http', ...header, '--format', 'json', ...options],
    { cwd: folder.path, env: { ...serverEnvironment({}), HOME: folder.path } },
  );
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  return (printed['result'] ?? printed) as Record<string, unknown>;
}

describe.each(['legacy', 'modern'] as const)('the Inspector over HTTP (%s)', (era) => {
  it('[T1,I1] lists the tools, whose schemas it finds portable, and calls one', async () => {
    const token = await provider.sign({ ...janesClaims, sub: `inspector-${era}` });
    const inEra = (...options: readonly string[]) => inspect(token, '--protocol-era', era, ...options);
    const { tools } = await inEra('--method', 'tools/list', '--strict');
    const names = (tools as readonly { readonly name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['clarify', 'expand', 'lookup_entity', 'search_memory']);
    const args = JSON.stringify({ query: 'How was cache eviction measured?', limit: 1 });
    const found = await inEra('--method', 'tools/call', '--tool-name', 'search_memory', '--tool-args-json', args);
    expect(found['structuredContent']).toMatchObject({ memories: [expect.anything()] });
  });
});

it('[I1] the Inspector says that it was not let in without a token', async () => {
  await expect(inspect(null, '--method', 'tools/list')).rejects.toMatchObject({ code: 3 });
});
