// The commands erase and retention: they count first, take what was named, and say so to people and to machines.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, runJson, storeTemplate, temporaryFolder } from './run_program.ts';

const folder = temporaryFolder();
let template: Awaited<ReturnType<typeof storeTemplate>>;
let given: Readonly<Record<string, string>>;
beforeAll(async () => {
  template = await storeTemplate([['seed']]);
  given = {
    CONTEXT_DATA_DIR: template.copy(),
    CONTEXT_TENANT_ID: 'acme',
    CONTEXT_USER_ID: 'jane',
    CONTEXT_AGENT_ID: 'research-assistant',
  };
});
afterAll(() => {
  folder.discard();
  template.discard();
});

describe('erase', () => {
  it('[E1] counts, erases, and finds nothing the second time', async () => {
    const question = 'Is Helios-RAG still the one to beat?';
    const { json: window } = await runJson(['assemble', question, '--at', '2026-09-28T12:00:00Z'], given);
    expect(window.manifest.memories.length).toBeGreaterThan(0);
    const counted = await runJson(['erase', '--user', 'jane'], given);
    expect(counted.code).toBe(0);
    expect(counted.json).toMatchObject({ tenant_id: 'acme', target: 'user', dry_run: true, files_rewritten: false });
    expect(counted.json.tables.conversation_memory).toBeGreaterThan(2);
    const people = await run(['erase', '--user', 'jane'], given);
    expect(people.stdout).toContain('conversation_memory');
    expect(people.stdout).toContain('Nothing was changed. With --yes it is erased');
    const erased = await runJson(['erase', '--user', 'jane', '--yes'], given);
    expect(erased.json).toEqual({ ...counted.json, dry_run: false, files_rewritten: true });
    const again = await run(['erase', '--user', 'jane', '--yes'], given);
    expect(again).toMatchObject({ code: 0, stdout: 'Nothing was found: there is nothing to erase.\n' });
    const gone = await runJson(['manifest', window.manifest.manifest_id], given);
    expect({ code: gone.code, error: gone.json.error.code }).toEqual({ code: 5, error: 'not_found' });
  });

  it.each([
    [[]],
    [['--user', 'jane', '--event', 'e1']],
    [['--thread', 'talk']],
    [['--agent', 'a', '--user', 'jane']],
    [['--whole-tenant', 'globex']],
    [['jane']],
  ])('[E1] refuses what names nothing, or not one thing: %j', async (words) => {
    const { code, stderr } = await run(['erase', ...words], given);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });
});

describe('retention', () => {
  it('[N4] does nothing without a policy, and what the policy says with one', async () => {
    const own = { ...given, CONTEXT_TENANT_ID: 'kept', CONTEXT_USER_ID: 'ada' };
    expect((await run(['retention', '--yes'], own)).stdout).toBe(
      'Tenant kept has no guideline context_retention: everything is kept.\n',
    );
    const rows = (value: object) => ({ guidelines: [{ guideline_key: 'context_retention', guideline_value: value }] });
    const file = (name: string, value: object): string => {
      const path = join(folder.path, name);
      writeFileSync(path, JSON.stringify(rows(value)));
      return path;
    };
    const bad = await runJson(['apply', file('bad.json', { history_days: -1 })], own);
    expect({ code: bad.code, error: bad.json.error.code }).toEqual({ code: 5, error: 'policy_invalid' });
    for (const days of [30, 0]) await run(['apply', file('good.json', { history_days: days })], own);
    const counted = await runJson(['retention'], own);
    expect(counted.json).toMatchObject({
      policy: true,
      dry_run: true,
      expired: {},
      pruned: { guideline_memory_history: 1 },
    });
    expect((await runJson(['retention', '--yes'], own)).json).toEqual({ ...counted.json, dry_run: false });
    expect((await run(['retention'], own)).stdout).toBe('Nothing is old enough.\n');
  });
});
