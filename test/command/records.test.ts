// replay, affected and trace as a person and a script use them, on the seeded demo.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot, run, runJson, storeTemplate, temporaryFolder } from './run_program.ts';
import type { Parsed } from './run_program.ts';

const folder = temporaryFolder();
afterAll(() => folder.discard());

const story = JSON.parse(readFileSync(join(projectRoot, 'seeds', 'story.json'), 'utf8'));
const given = {
  CONTEXT_DATA_DIR: join(folder.path, 'seeded'),
  CONTEXT_TENANT_ID: story.scope.tenant_id,
  CONTEXT_USER_ID: story.scope.user_id,
  CONTEXT_AGENT_ID: story.scope.agent_id,
  CONTEXT_THREAD_ID: story.scope.thread_id,
  CONTEXT_ROLES: story.scope.roles.join(','),
};
const sam = { ...given, CONTEXT_USER_ID: 'sam' };

describe('replay, affected and trace', () => {
  let manifest: Parsed;
  let id = '';
  const citationOf = (type: string): string =>
    manifest.memories.find((memory: Parsed) => memory.type === type && memory.status !== 'historical').id;
  beforeAll(async () => {
    const template = await storeTemplate([['seed']]);
    template.copy(given.CONTEXT_DATA_DIR);
    template.discard();
    manifest = (await runJson(['assemble', story.question, '--at', story.evaluation_time], given)).json.manifest;
    id = manifest.manifest_id;
    const correction = {
      entities: [
        {
          subject: 'model:helios-rag',
          predicate: 'beir_ndcg10',
          content: 'Helios-RAG scores 0.79 on BEIR.',
          value: 0.79,
        },
      ],
    };
    const file = join(folder.path, 'correction.json');
    writeFileSync(file, JSON.stringify(correction));
    await run(['apply', file], given);
  });

  it('[R1] replay says matched after a correction, to a person and to a script, and ends with 0', async () => {
    const shown = await run(['replay', id], given);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(new RegExp(`^matched +${id}\n`));
    const { code, json } = await runJson(['replay', id], given);
    expect({ code, json }).toEqual({
      code: 0,
      json: {
        manifest_id: id,
        kind: 'window',
        same_code: true,
        outcome: 'matched',
        reason: null,
        ref: null,
        difference: null,
      },
    });
    expect((await runJson(['replay', id, '--tenant'], given)).json.outcome).toBe('matched');
  });

  it('[R1] replay --all sums up the caller’s own, and takes bounds', async () => {
    const all = await runJson(['replay', '--all', '--limit', '5'], given);
    expect(all).toMatchObject({ code: 0, json: { checked: 1, matched: 1, mismatched: 0, unavailable: {} } });
    expect((await run(['replay', '--all'], given)).stdout).toContain('checked 1, matched 1');
    expect((await runJson(['replay', '--all', '--since', '2999-01-01T00:00:00Z'], given)).json.checked).toBe(0);
    expect((await runJson(['replay', '--all'], sam)).json.checked).toBe(0);
  });

  it('[R1,R3,N2] what is another user’s does not exist, and ends with 5', async () => {
    for (const args of [
      ['replay', id],
      ['affected', 'B331ec01f36'],
      ['trace', 'B331ec01f36'],
      ['trace', 'B331ec01f36', '--manifest', id],
    ]) {
      const { code, json } = await runJson(args, sam);
      expect({ args, code, error: json.error.code }).toEqual({ args, code: 5, error: 'not_found' });
    }
  });

  it('[R3] affected names the window that used the version, and trace the document behind a passage', async () => {
    const affected = await runJson(['affected', 'B331ec01f36'], given);
    expect(affected.json.uses).toContainEqual(
      expect.objectContaining({ kind: 'window', id, entered: 'current', user_id: 'jane' }),
    );
    const shown = await run(['affected', 'B331ec01f36', '--tenant'], given);
    expect(shown.stdout).toContain('superseded');
    const traced = await runJson(['trace', citationOf('chunk'), '--manifest', id], given);
    expect(traced.json.steps[1]).toMatchObject({ relation: 'parent_document', uri: expect.stringMatching(/^https:/) });
    expect((await run(['trace', citationOf('chunk')], given)).stdout).toContain('parent_document');
  });

  it('refuses a command line that asks for nothing, or for both', async () => {
    for (const args of [
      ['replay'],
      ['replay', id, '--all'],
      ['replay', id, '--limit', '3'],
      ['replay', '--all', '--limit', 'many'],
      ['affected'],
      ['trace'],
    ]) {
      expect({ args, code: (await run(args, given)).code }).toEqual({ args, code: 2 });
    }
  });
});
