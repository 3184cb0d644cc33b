// Runs the public conformance suite against the server over HTTP, with its fixtures and as it is, for both revisions.
// Run: npm run test:conformance [-- --verbose]; it ends with 1 when a scenario that has to pass does not, or when one
// passes that test/conformance/expectations.ts says cannot.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  fixtureProfile,
  productProfile,
  revisions,
  type Profile,
  type Revision,
} from '../test/conformance/expectations.ts';
import { openFixtureServer } from '../test/conformance/fixture_server.ts';
import { listen } from '../test/http/run_http.ts';

const { values: options } = parseArgs({ options: { verbose: { type: 'boolean', default: false } } });
const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
const preload = join(import.meta.dirname, 'conformance_preload.mjs');

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs what a revision requires, and gives each scenario's checks. */
async function runSuite(url: string, revision: Revision): Promise<ReadonlyMap<string, readonly Check[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const args = ['server', '--url', url, '--requirements', revision, '--output-dir', folder];
    const said = await run(['--import', preload, join(suite, 'dist', 'index.js'), ...args]);
    const scenarios = new Map<string, readonly Check[]>();
    for (const name of readdirSync(folder)) {
      const [, scenario = name] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? [];
      scenarios.set(scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[]);
    }
    // Without the summary it did not come to its end.
    if (scenarios.size === 0 || !said.includes('=== SUMMARY ===')) throw new Error(`the suite did not run:\n${said}`);
    return scenarios;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  return new Promise((resolve, reject) => child.once('error', reject).once('close', () => resolve(said)));
}

const failures = (checks: readonly Check[]) => checks.filter(({ status }) => status === 'FAILURE');

/** Prints a scenario's outcome, and what it only recommends. */
function describe(
  name: string,
  seen: { readonly checks: readonly Check[]; readonly reason: string | undefined },
): void {
  const why = seen.reason === undefined ? '' : ` (${seen.reason})`;
  console.log(`  ${failures(seen.checks).length === 0 ? 'passed' : 'failed'} ${name}${why}`);
  const warnings = seen.checks.filter(({ status }) => status === 'WARNING');
  for (const { id, errorMessage } of warnings) console.log(`    recommended: ${id}: ${errorMessage ?? ''}`);
}

/** Prints what was not as expected, and the counts; gives how much that is. */
async function judge(profile: Profile, url: string, revision: Revision): Promise<number> {
  const scenarios = await runSuite(url, revision);
  const cannot = new Map(
    Object.entries(profile.cannot[revision]).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)),
  );
  const problems = [...cannot.keys()].filter((name) => !scenarios.has(name)).map((name) => `${name}: no such scenario`);
  let [passed, excused] = [0, 0];
  for (const [name, checks] of scenarios) {
    const failed = failures(checks);
    const reason = cannot.get(name);
    if (failed.length === 0 && reason === undefined) passed += 1;
    else if (failed.length === 0) problems.push(`${name}: passes, though it is listed: ${reason}`);
    else if (reason !== undefined) excused += 1;
    else problems.push(...failed.map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage ?? 'failed'}`));
    if (options.verbose) describe(name, { checks, reason });
  }
  for (const problem of problems) console.log(`  ${problem}`);
  const rest = excused === 0 ? '' : ` (${excused} that cannot pass, with reasons)`;
  console.log(`${revision} ${profile.name}: ${passed} passed, ${problems.length} failed${rest}`);
  return problems.length;
}

async function judgeAll(profile: Profile, url: string): Promise<number> {
  let failed = 0;
  for (const revision of revisions) failed += await judge(profile, url, revision);
  return failed;
}

let failed = 0;
const fixture = await openFixtureServer();
try {
  failed += await judgeAll(fixtureProfile, fixture.url);
} finally {
  await fixture.close();
}
const product = await listen({ CONTEXT_DATA_DIR: ':memory:', CONTEXT_LOG_LEVEL: 'silent' });
try {
  failed += await judgeAll(productProfile, product.url);
} finally {
  product.child.kill('SIGTERM');
  await product.ended;
}
process.exitCode = failed === 0 ? 0 : 1;
