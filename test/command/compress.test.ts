// compress on the command line (C1): what it lists, what it makes, and that it can simply run again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, runJson, temporaryFolder } from './run_program.ts';

const folder = temporaryFolder();
const given = { CONTEXT_DATA_DIR: join(folder.path, 'data'), CONTEXT_USER_ID: 'ada', CONTEXT_THREAD_ID: 'plans' };

beforeAll(async () => {
  const turns = Array.from({ length: 16 }, (_, index) => ({
    id: `turn_${index}`,
    user_id: 'ada',
    agent_id: null,
    thread_id: 'plans',
    event_type: index % 2 === 0 ? 'user_msg' : 'model_msg',
    speaker: null,
    text: index === 4 ? 'The contract with Kramer is KX-2291-B.' : `Step ${index} uses part_${index}.`,
    created_at: `2026-06-01T09:${String(10 + index)}:00.000000Z`,
    written_by: 'ada',
    trust: 'stated',
    source_event_id: null,
  }));
  const file = join(folder.path, 'turns.json');
  writeFileSync(file, JSON.stringify({ tenant_id: 'local', turns }));
  for (const command of [['init'], ['seed', file]]) {
    const { code, stderr } = await run(command, given);
    if (code !== 0) throw new Error(stderr);
  }
}, 60_000);
afterAll(() => folder.discard());

describe('compress', () => {
  const digest = { kind: 'digest', ref: null, thread: 'plans', failure: null };

  it('[C1] lists what is missing and writes nothing, then makes it, then has nothing to do', async () => {
    const listed = { ...digest, state: 'missing', outcome: 'listed', tokens: 0, model: null };
    for (const args of [['compress'], ['compress', '--thread', 'plans']]) {
      expect((await runJson([...args], given)).json).toEqual({ texts: [listed] });
    }
    const made = (await runJson(['compress', '--rebuild', '--thread', 'plans'], given)).json;
    expect(made.texts).toMatchObject([{ ...digest, state: 'missing', outcome: 'made', model: 'builtin-extractive' }]);
    expect(made.texts[0].tokens).toBeGreaterThan(5);
    const { code, stdout, stderr } = await run(['compress', '--rebuild'], given);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe('Every long memory and thread has a text that is as it should be.\n');
    const window = (await runJson(['assemble', 'Which contract do we have with Kramer?'], given)).json;
    expect(JSON.stringify(window.messages)).toContain('user 5: The contract with Kramer is KX-2291-B.');
  });

  it('[C1,I2] of another user has nothing to list, and names a wrong option', async () => {
    const bob = { ...given, CONTEXT_USER_ID: 'bob' };
    expect((await runJson(['compress', '--thread', 'plans'], bob)).json).toEqual({ texts: [] });
    expect((await run(['compress', '--thread', ''], given)).code).toBe(2);
    expect((await run(['compress', 'plans'], given)).code).toBe(2);
  });
});
