// Commands on a data directory of their own: what they write, what they print, what they leave alone.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot, run, runJson, storeTemplate, temporaryFolder } from './run_program.ts';
import type { Parsed } from './run_program.ts';

const folder = temporaryFolder();
let template: Awaited<ReturnType<typeof storeTemplate>>;
beforeAll(async () => (template = await storeTemplate([['migrate']])));
afterAll(() => {
  folder.discard();
  template.discard();
});

const example = join(projectRoot, 'examples', 'apply_example.json');
const story = JSON.parse(readFileSync(join(projectRoot, 'seeds', 'story.json'), 'utf8'));

/** A data directory that the first command makes. */
const at = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  CONTEXT_DATA_DIR: join(folder.path, name),
  CONTEXT_USER_ID: 'ada',
  ...more,
});

/** A data directory with a schema and no rows. */
const empty = (more: Readonly<Record<string, string>> = {}) => ({ ...at('', more), CONTEXT_DATA_DIR: template.copy() });

/** The counts that doctor gives for the tenant. */
async function rowsOf(given: Readonly<Record<string, string>>): Promise<string> {
  const { json } = await runJson(['doctor'], given);
  return json.checks.find((check: { name: string }) => check.name === 'rows').says;
}

describe('on the seeded demo', () => {
  const given = at('seeded', {
    CONTEXT_TENANT_ID: story.scope.tenant_id,
    CONTEXT_USER_ID: story.scope.user_id,
    CONTEXT_AGENT_ID: story.scope.agent_id,
    CONTEXT_THREAD_ID: story.scope.thread_id,
    CONTEXT_ROLES: story.scope.roles.join(','),
  });
  let first: Parsed;
  beforeAll(async () => {
    first = (await runJson(['seed'], given)).json;
  });

  it('seed reports each tenant, and seeding again changes nothing', async () => {
    expect(first.tenants.map((tenant: { tenant_id: string }) => tenant.tenant_id).toSorted()).toEqual([
      'acme',
      'globex',
    ]);
    const before = await rowsOf(given);
    const again = await runJson(['seed'], given);
    expect(again.code).toBe(0);
    for (const [place, tenant] of first.tenants.entries()) {
      expect(tenant.inserted).toBeGreaterThan(0);
      expect(again.json.tenants[place]).toEqual({
        tenant_id: tenant.tenant_id,
        inserted: 0,
        unchanged: tenant.inserted + tenant.unchanged,
      });
    }
    expect(await rowsOf(given)).toBe(before);
  });

  it('assemble --json prints messages, tools and manifest, the question last', async () => {
    const { code, stderr, json } = await runJson(['assemble', story.question, '--at', story.evaluation_time], given);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Object.keys(json)).toEqual(['messages', 'tools', 'manifest']);
    expect(json.messages.map(({ role }: { role: string }) => role)).toEqual(['developer', 'user']);
    expect(json.messages[1].content.endsWith(`\n\n${story.question}`)).toBe(true);
    expect(json.tools.map((tool: Parsed) => tool.function.name).toSorted()).toEqual([
      'clarify',
      'expand',
      'lookup_entity',
      'search_memory',
    ]);
    expect(json.manifest.evaluation_time).toBe(story.evaluation_time);
    expect(json.manifest.excluded).toContainEqual(
      expect.objectContaining({ ref: ['entity', 'ctxseed_ac760ed5f12c3f9fa0459951', 1], rule: 'lifecycle' }),
    );
  });

  it('assemble prints slices, memory, exclusions and the record for a person', async () => {
    const { code, stdout } = await run(['assemble', story.question, '--at', '2026-09-28T12:00:00Z'], given);
    expect(code).toBe(0);
    for (const part of [
      'durable_facts',
      'usable_context',
      '<memory_context>',
      'lifecycle',
      'request tokens',
      story.question,
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).not.toContain('\u001b');
  });

  it('assemble takes an intent, and refuses a time without a zone', async () => {
    const asked = await runJson(['assemble', 'Helios-RAG', '--intent', 'comparison'], given);
    expect(asked.json.manifest.intent).toBe('comparison');
    const naive = await run(['assemble', 'x', '--at', '2026-09-28T12:00:00'], given);
    expect(naive.code).toBe(5);
    expect(naive.stderr).toContain('--at must look like');
  });

  describe('check', () => {
    const answer = (score: string) => `Helios-RAG scores ${score} nDCG@10 on BEIR [B331ec01f36].\n`;
    let id: string;
    beforeAll(async () => {
      const made = await runJson(['assemble', story.question, '--at', story.evaluation_time], given);
      id = made.json.manifest.manifest_id;
    });

    it('ends with 0 for an answer that its citations support, from stdin and from a file', async () => {
      const fromStdin = await run(['check', id], given, answer('0.78'));
      expect(fromStdin.code).toBe(0);
      expect(fromStdin.stdout).toContain('supported 1 · unsupported 0');
      const file = join(folder.path, 'answer.md');
      writeFileSync(file, answer('0.78'));
      const fromFile = await runJson(['check', id, file], given);
      expect(fromFile.code).toBe(0);
      expect(Object.keys(fromFile.json)).toEqual(['manifest_id', 'run_id', 'answer', 'report']);
      expect(fromFile.json.report.sentences[0].verdict).toBe('supported');
    });

    it('ends with 1 for another one, and says which words are not in what is cited', async () => {
      const { code, stdout } = await run(['check', id, '-'], given, answer('0.79'));
      expect(code).toBe(1);
      expect(stdout).toContain('“0.79” is not in what is cited');
    });

    it('--verdict keeps the answer, and --recorded shows it to its own user alone', async () => {
      const kept = await runJson(['check', id, '--verdict', 'rejected'], given, answer('0.79'));
      expect(kept.code).toBe(1);
      const listed = await runJson(['check', id, '--recorded'], given);
      expect(listed.code).toBe(0);
      expect(listed.json.feedback).toMatchObject([
        {
          event_id: kept.json.event_id,
          manifest_id: id,
          answer: answer('0.79'),
          verdict: 'rejected',
          report: { ok: false },
        },
      ]);
      const other = await runJson(['check', id, '--recorded'], { ...given, CONTEXT_USER_ID: 'sam' });
      expect([other.code, other.json.error.code]).toEqual([5, 'not_found']);
    });

    it('refuses a file that is not there and a verdict that is none', async () => {
      const missing = await run(['check', id, join(folder.path, 'nowhere.md')], given);
      expect(missing.code).toBe(5);
      expect(missing.stderr).toContain('it does not exist');
      const verdict = await run(['check', id, '--verdict', 'maybe'], given);
      expect(verdict.code).toBe(2);
    });
  });

  it('diff says what differs between two windows and why, to their own user alone', async () => {
    const ids: string[] = [];
    for (const question of [story.question, 'How long does AgentCore keep raw session events?']) {
      const made = await runJson(['assemble', question, '--at', story.evaluation_time], given);
      ids.push(made.json.manifest.manifest_id);
    }
    const [from = '', to = ''] = ids;
    const { code, json } = await runJson(['diff', from, to], given);
    expect(code).toBe(0);
    expect(Object.keys(json)).toEqual(['difference', 'titles']);
    expect(json.difference).toMatchObject({ from, to, same_request: false });
    const shown = await run(['diff', from, to], given);
    for (const part of ['question_hash', 'Entered', 'Left', 'another question', 'model:helios-rag beir_ndcg10']) {
      expect(shown.stdout).toContain(part);
    }
    const same = await run(['diff', from, from], given);
    expect(same.stdout).toContain('equal byte for byte');
    const other = await runJson(['diff', from, to], { ...given, CONTEXT_USER_ID: 'sam' });
    expect([other.code, other.json.error.code]).toEqual([5, 'not_found']);
  });

  it('manifest shows a stored one, lists the newest, and knows only those of its user', async () => {
    const made = await runJson(['assemble', 'How long are events kept?'], given);
    const id = made.json.manifest.manifest_id;
    const shown = await runJson(['manifest', id], given);
    expect(shown.json).toEqual({ manifest: made.json.manifest, created_at: expect.stringMatching(/Z$/) });
    const listed = await runJson(['manifest'], given);
    expect(listed.json.manifests[0].manifest.manifest_id).toBe(id);
    expect((await run(['manifest', id], given)).stdout).toContain(id);
    const other = await runJson(['manifest', id], { ...given, CONTEXT_USER_ID: 'sam' });
    expect(other.code).toBe(5);
    expect(other.json.error.code).toBe('not_found');
  });

  it('doctor finds nothing wrong and names each part', async () => {
    const { code, json } = await runJson(['doctor'], given);
    expect(json.checks.filter(({ state }: { state: string }) => state === 'wrong')).toEqual([]);
    expect({ code, ok: json.ok }).toEqual({ code: 0, ok: true });
    const names = json.checks.map(({ name }: { name: string }) => name);
    for (const name of [
      'program',
      'scope',
      'data directory',
      'schema',
      'embedder',
      'rows',
      'index',
      'budget',
      'tools',
    ]) {
      expect(names).toContain(name);
    }
    expect((await run(['doctor'], given)).stdout).toContain('Nothing is wrong.');
  });

  it('[D3,D6] reindex makes all that is derived again, and reembed has nothing to do for the embedder that is set', async () => {
    const dropped = await runJson(['reindex', '--drop'], given);
    expect(dropped.code).toBe(0);
    expect(dropped.json).toMatchObject({ dry_run: false, missing: 0, older: 0, left_over: 0, unreadable: 0 });
    expect(dropped.json.written).toBe(dropped.json.memories);
    expect(dropped.json.dropped).toBe(dropped.json.memories);
    const { code, stdout } = await run(['reembed'], given);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'The vectors of this store are by potion-base-8m-i8 already.\n',
    });
  });

  it('[D7] seed with a bad file among good ones changes nothing and names row and field', async () => {
    const bad = join(folder.path, 'bad_seed.json');
    const seed = JSON.parse(readFileSync(join(projectRoot, 'seeds', 'globex.json'), 'utf8'));
    seed.tenant_id = 'initech';
    seed.entities[1].confidence = 'high';
    writeFileSync(bad, JSON.stringify(seed));
    const good = join(folder.path, 'good_seed.json');
    writeFileSync(good, JSON.stringify({ ...seed, entities: [] }));
    const { code, json } = await runJson(['seed', good, bad], given);
    expect(code).toBe(5);
    expect(json.error.code).toBe('invalid_seed');
    expect(json.error.message).toContain(seed.entities[1].id);
    expect(json.error.message).toContain('confidence');
    expect(await rowsOf({ ...given, CONTEXT_TENANT_ID: 'initech' })).toContain('none');
  });
});

describe('on an empty directory', () => {
  it('[N6] migrate applies all once, and then has nothing to do', async () => {
    const given = at('migrated');
    const first = await runJson(['migrate'], given);
    expect(first.code).toBe(0);
    expect(first.json.applied.length).toBeGreaterThan(0);
    expect(first.json.applied.at(-1)).toBe(first.json.schema);
    const again = await runJson(['migrate'], given);
    expect(again.json).toEqual({ ...first.json, applied: [] });
  });

  it('init writes the default profile once', async () => {
    const given = empty({ CONTEXT_TENANT_ID: 'home' });
    expect((await runJson(['init'], given)).json).toEqual({ tenant_id: 'home', initialised: true });
    expect((await run(['init'], given)).stdout).toContain('Tenant home had tools already');
    const doctor = await runJson(['doctor'], given);
    const found = (name: string) => doctor.json.checks.find((check: { name: string }) => check.name === name);
    expect(found('tools').says).toBe('clarify, expand, lookup_entity, search_memory');
    expect(found('budget').says).toContain('usable_context 32,000');
  });

  it('assemble on a tenant without a profile names the command that makes one', async () => {
    const { code, json } = await runJson(['assemble', 'x'], empty());
    expect(code).toBe(5);
    expect(json.error.code).toMatch(/^(?:tenant_not_initialised|policy_missing)$/);
    expect(json.error.action).toContain('init');
  });

  it('doctor creates nothing', async () => {
    const given = at('untouched');
    const { code, json } = await runJson(['doctor'], given);
    expect(code).toBe(0);
    expect(json.checks).toContainEqual(expect.objectContaining({ name: 'data directory', state: 'note' }));
    expect(existsSync(given.CONTEXT_DATA_DIR)).toBe(false);
  });

  it('doctor names a variable that nobody reads', async () => {
    const { json } = await runJson(['doctor'], at('untouched', { CONTEXT_TENNANT_ID: 'x' }));
    expect(json.checks).toContainEqual(expect.objectContaining({ name: 'variables', state: 'note' }));
  });
});

describe('apply', () => {
  const given = at('applied');
  it('fills an empty memory from the example, and changes nothing the second time', async () => {
    const first = await runJson(['apply', example], given);
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('Tenant local was empty');
    expect(first.json.rows).toContainEqual({
      type: 'entity',
      key: 'host:attic ip_address',
      outcome: 'inserted',
      version: 1,
    });
    expect(first.json.rows).toContainEqual({ type: 'guideline', key: 'answer_style', outcome: 'updated', version: 2 });
    const again = await runJson(['apply', example], given);
    expect(again.stderr).toBe('');
    expect(new Set(again.json.rows.map(({ outcome }: { outcome: string }) => outcome))).toEqual(new Set(['unchanged']));
    const asked = await runJson(['assemble', 'Which address does the attic server have?'], given);
    expect(asked.json.messages[1].content).toContain('192.168.20.5');
  });

  it('makes a changed fact the next version, from stdin too', async () => {
    const row = { subject: 'host:attic', predicate: 'ip_address', content: 'The attic server moved to 192.168.20.9.' };
    const { json } = await runJson(['apply', '-'], given, JSON.stringify({ entities: [row] }));
    expect(json.rows).toEqual([{ type: 'entity', key: 'host:attic ip_address', outcome: 'updated', version: 2 }]);
    expect((await run(['apply', '-'], given, JSON.stringify({ entities: [row] }))).stdout).toMatch(
      /entity +host:attic ip_address +unchanged +2/,
    );
  });

  it.each<[string, string, string]>([
    ['a wrong field', '{"entities":[{"subject":"a","predicate":"b","content":"c"},{"subject":7}]}', 'entities[1]'],
    ['an unknown list', '{"enttities":[]}', 'enttities'],
    ['no JSON', '{"entities": nonsense}', 'is no JSON'],
    ['a credential', `{"guidelines":[{"guideline_key":"k","guideline_value":"ghp_${'a1B2'.repeat(9)}"}]}`, 'guideline'],
  ])('[D7] with %s changes nothing and says where', async (_, text, place) => {
    const before = await rowsOf(given);
    const { code, json } = await runJson(['apply', '-'], given, text);
    expect(code).toBe(5);
    expect(json.error.message).toContain(place);
    expect(json.error.message).not.toMatch(/nonsense|ghp_/);
    expect(await rowsOf(given)).toBe(before);
  });

  it('[D7] with a bad file leaves a tenant that never had a tool as it was', async () => {
    const fresh = at('applied', { CONTEXT_TENANT_ID: 'fresh' });
    const { code } = await runJson(['apply', '-'], fresh, '{"entities":[{"subject":7}]}');
    expect(code).toBe(5);
    expect(await rowsOf(fresh)).toContain('none');
  });

  it('says when there is no such file', async () => {
    const { code, stderr } = await run(['apply', join(folder.path, 'nothing.json')], given);
    expect(code).toBe(5);
    expect(stderr).toContain('nothing.json cannot be read: it does not exist');
  });
});
