// Kill -9 at random points of write loads: what was acknowledged is there, nothing has a gap, the store reopens (N7).
// OWNER_KILL_ROUNDS=200 npx vitest run test/owner/kill_rounds.test.ts makes many rounds of it.
import { afterAll, describe, expect, it, vi } from 'vitest';
import { run, storeTemplate } from '../command/run_program.ts';
import { lookInside } from './look_inside.ts';
import { ownerPid, startHost, toolCount } from './stdio_host.ts';

const rounds = Number(process.env['OWNER_KILL_ROUNDS'] ?? '5');
vi.setConfig({ testTimeout: 45_000 + rounds * 10_000 });

const template = await storeTemplate([['init']]);
afterAll(() => template.discard());

const pause = async (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Makes the calls one after another until the owner is dead; gives what was acknowledged and what nobody knows of. */
async function loadOf(host: ReturnType<typeof startHost>, directory: string, round: number) {
  const manifests: string[] = [];
  const unknown: string[] = [];
  let calls = 0;
  const killed = new AbortController();
  await toolCount(host);
  const owner = ownerPid(directory);
  const killing = pause(Math.random() * 1000).then(() => {
    process.kill(owner, 'SIGKILL');
    killed.abort();
  });
  for (let place = 0; !killed.signal.aborted; place += 1) {
    const question = `Question ${round}.${place}?`;
    const asked = await host.request('prompts/get', { name: 'context_window', arguments: { question } });
    if (asked.error === undefined) manifests.push(/manifest ([\w-]+)/.exec(asked.result.description)?.[1] ?? 'unnamed');
    else unknown.push(asked.error.data.error.code);
    const params = { name: 'lookup_entity', arguments: { subject: 'host:attic', predicate: 'ip_address' } };
    const { result } = await host.request('tools/call', params);
    if (result.isError === true) unknown.push(JSON.parse(result.content[0].text).error.code);
    else calls += 1;
  }
  await killing;
  return { manifests, unknown, calls };
}

describe(`${rounds} rounds of kill -9`, () => {
  it('[N7] of the owner under calls of a host: no acknowledged window or round is lost', async () => {
    const directory = template.copy();
    const host = startHost({ CONTEXT_DATA_DIR: directory });
    await host.initialize();
    const loads: Awaited<ReturnType<typeof loadOf>>[] = [];
    for (let round = 0; round < rounds; round += 1) loads.push(await loadOf(host, directory, round));
    expect(await host.close()).toMatchObject({ code: 0 });
    await run(['stop'], { CONTEXT_DATA_DIR: directory });
    const acknowledged = loads.flatMap(({ manifests }) => manifests);
    const unknown = loads.flatMap((load) => load.unknown);
    const calls = loads.reduce((sum, load) => sum + load.calls, 0);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(new Set([...unknown, 'outcome_unknown'])).toEqual(new Set(['outcome_unknown']));

    const [events = [], runs = []] = await lookInside(
      directory,
      'select event_id, event_type, run_id from memory.conversation_memory',
      'select run_id, rounds_used from memory.context_run',
    );
    const ofType = (type: string) => events.filter((row) => row['event_type'] === type);
    const manifests = new Set(ofType('context_manifest').map((row) => row['event_id']));
    expect(acknowledged.filter((id) => !manifests.has(id))).toEqual([]);
    expect(ofType('context_manifest')).toHaveLength(ofType('request').length);
    // A call, what it found, its result and its round are there together, or not at all.
    const results = ofType('tool_result');
    const spent = runs.reduce((sum, row) => sum + Number(row['rounds_used']), 0);
    expect(results).toHaveLength(spent);
    expect(results).toHaveLength(ofType('tool_call').length);
    // Each call has a manifest of its own; beyond what was acknowledged there is at most what nobody knows of.
    expect(spent).toBeGreaterThanOrEqual(calls);
    expect(manifests.size).toBeLessThanOrEqual(acknowledged.length + calls + unknown.length);
  });
});
