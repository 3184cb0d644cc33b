// A file that is damaged, forged or foreign is refused before anything is written (D7, D8), whatever is wrong with it.

import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryError } from '../../src/model/errors.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { openFixture } from '../fixture.ts';
import type { Fixture } from '../fixture.ts';
import { changed, exported, imported, linesOf, resealed, rowsIn, rowsOf, sealed } from './files.ts';
import type { Lines } from './files.ts';

const runs = Number(process.env['DAMAGE_RUNS'] ?? 150);

let fixture: Fixture;
let bytes: Buffer;
let sound: Lines;
beforeAll(async () => {
  fixture = await openFixture();
  ({ bytes } = await exported(fixture, 'acme'));
  sound = linesOf(bytes);
});
afterAll(() => fixture.close());

/** The tenant into which everything here is imported stays empty. */
const empty = 'nothing';
afterEach(async () => {
  if ((await rowsIn(fixture, empty)) > 0) throw new Error('a refused file wrote rows');
});

const refusal = async (file: Uint8Array, more: Parameters<typeof imported>[3] = {}): Promise<MemoryError> => {
  const error = await imported(fixture, empty, file, { asTenant: true, ...more }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MemoryError)) throw new Error('the file was taken', { cause: error });
  return error;
};

const textOf = (lines: Lines) => sealed(lines).toString('utf8');

describe('a damaged file', () => {
  it.each<[string, () => Uint8Array, string]>([
    ['nothing', () => Buffer.alloc(0), 'it is empty'],
    ['another file', () => Buffer.from('{"entities":[]}\n'), 'is no export'],
    ['a backup', () => Buffer.from('context-assembly-memory backup 1 abc\n{}\n'), 'is no export'],
    ['a last line that is missing', () => bytes.subarray(0, bytes.lastIndexOf('{"end"')), 'last line is missing'],
    ['a last byte that is missing', () => bytes.subarray(0, -1), 'ends within a line'],
    ['half of it', () => bytes.subarray(0, Math.floor(bytes.length / 2)), 'damaged'],
    ['something after its end', () => Buffer.concat([bytes, Buffer.from('{}\n')]), 'follows its last line'],
    ['a line too few', () => Buffer.from(bytes.toString().replace(/\n.*\n/, '\n')), 'not what was written'],
    ['an empty line', () => Buffer.from(bytes.toString().replace('\n', '\n\n')), 'line 2'],
    ['other ends of lines', () => Buffer.from(bytes.toString().replaceAll('\n', '\r\n')), 'damaged'],
    ['another encoding', () => Buffer.from(bytes.toString(), 'utf16le'), 'is no export'],
  ])('[D7] with %s', async (_, file, reason) => {
    const { code, message } = await refusal(file());
    expect({ code, message }).toEqual({ code: 'backup_refused', message: expect.stringContaining(reason) });
  });

  it('[D7] with any bit turned, byte lost, line doubled or lines exchanged', async () => {
    const lines = bytes.toString('latin1').split('\n').slice(0, -1);
    const place = fc.nat(bytes.length - 1);
    const line = fc.nat(lines.length - 1);
    const joined = (given: readonly (string | undefined)[]) => Buffer.from(`${given.join('\n')}\n`, 'latin1');
    const damage = fc.oneof(
      fc.tuple(place, fc.nat(7)).map(([at, bit]) => {
        const copy = Buffer.from(bytes);
        copy[at] = (copy[at] ?? 0) ^ (1 << bit);
        return copy;
      }),
      place.map((at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])),
      place.map((at) => bytes.subarray(0, at)),
      line.map((at) => joined(lines.toSpliced(at, 0, lines[at] ?? ''))),
      line.map((at) => joined(lines.toSpliced(at, 1))),
      fc
        .tuple(line, line)
        .filter(([a, b]) => lines[a] !== lines[b])
        .map(([a, b]) => joined(lines.with(a, lines[b] ?? '').with(b, lines[a] ?? ''))),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (file) => {
        const { code } = await refusal(file);
        expect(['backup_refused', 'schema_newer']).toContain(code);
      }),
      { numRuns: runs, seed: 20260928 },
    );
  });
});

describe('a file whose hash fits', () => {
  const put = (table: string, columns: JsonObject) => () => changed(sound, table, (row) => ({ ...row, ...columns }));
  const without = (table: string, name: string) => () =>
    changed(sound, table, (row) => Object.fromEntries(Object.entries(row).filter(([column]) => column !== name)));
  const doubled = (table: string) => () => {
    const { place = 0 } = rowsOf(sound, table)[0] ?? {};
    return { ...sound, rows: sound.rows.toSpliced(place, 0, sound.rows[place] ?? '') };
  };
  const raw = (from: string | RegExp, to: string) => () => resealed(Buffer.from(textOf(sound).replace(from, to)));
  const policy = (more: JsonObject) => () =>
    changed(sound, 'guideline_memory', (row) => ({
      ...row,
      guideline_value: { ...Object(row['guideline_value']), ...more },
    }));

  it.each<[string, string, string, () => Lines | Uint8Array]>([
    ['a column too many', 'invalid_seed', 'field color', put('entity_memory', { color: 'red' })],
    ['a tenant of its own', 'invalid_seed', 'field tenant_id', put('entity_memory', { tenant_id: 'globex' })],
    ['a column too few', 'invalid_seed', 'field valid_until', without('entity_memory', 'valid_until')],
    ['a text for a number', 'invalid_seed', 'field version', put('guideline_memory', { version: '1' })],
    ['a number out of bounds', 'invalid_seed', 'field confidence', put('persona_memory', { confidence: 1.5 })],
    ['a number beyond its column', 'invalid_seed', 'field version', put('workflow_memory', { version: 3e9 })],
    ['a time of another form', 'invalid_seed', 'field created_at', put('thread', { created_at: '2026-01-01' })],
    [
      'a time without its zone',
      'invalid_seed',
      'valid_from',
      put('entity_memory', { valid_from: '2026-01-01T00:00:00' }),
    ],
    ['an id that cannot be', 'invalid_seed', 'field id', put('entity_memory', { id: 'x y' })],
    ['a trust that is none', 'invalid_seed', 'field trust', put('summarization_memory', { trust: 'blind' })],
    ['an event that is none', 'invalid_seed', 'event_type', put('conversation_memory', { event_type: 'dream' })],
    ['a turn without number', 'invalid_seed', 'turn_index', put('conversation_memory', { turn_index: null })],
    ['a row twice', 'invalid_seed', 'field id', doubled('entity_memory')],
    ['an event twice', 'invalid_seed', 'field id', doubled('conversation_memory')],
    ['a link twice', 'invalid_seed', 'does not come after', doubled('memory_link')],
    ['a second active row of a key', 'invalid_seed', 'field valid_until', secondActive],
    ['an unknown access policy', 'invalid_seed', 'access_policy.x', put('toolbox_memory', { access_policy: { x: 1 } })],
    ['a tool that nobody handles', 'invalid_seed', 'cannot be listed', put('toolbox_memory', { tool_handler: 'rm' })],
    ['another text than was hashed', 'invalid_seed', 'content_hash', put('entity_memory', { content: 'Changed.' })],
    ['a chunk without document', 'invalid_seed', 'document_id', put('knowledge_base_chunk', { document_id: '0' })],
    ['provenance of nothing', 'invalid_seed', 'source_id', put('context_source_ref', { source_id: 'nothing' })],
    ['a link to nothing', 'invalid_seed', 'target_id', put('memory_link', { target_id: 'nothing' })],
    ['a thread that counts too low', 'invalid_seed', 'next_turn_index', put('thread', { next_turn_index: 1 })],
    ['a thread that is missing', 'invalid_seed', 'a thread that has turns', threadMissing],
    ['a policy that is none', 'policy_invalid', 'max_rounds', policy({ max_rounds: -1 })],
    ['a policy with an unknown key', 'policy_invalid', 'generosity', policy({ generosity: 1 })],
    ['a policy of one user', 'policy_invalid', 'whole tenant', put('guideline_memory', { user_id: 'jane' })],
    ['U+0000', 'text_refused', 'U+0000', put('summarization_memory', { title: 'a\u0000b' })],
    [
      'U+0000 deep inside',
      'text_refused',
      'metadata.a.b',
      put('knowledge_base_document', { metadata: { a: { b: '\u0000' } } }),
    ],
    ['half of a character', 'text_refused', 'half of a character', put('summarization_memory', { title: 'a\ud800b' })],
    [
      'no JSON',
      'backup_refused',
      'line 3 is no row',
      () => ({ ...sound, rows: sound.rows.with(1, '{"table":"entity_memory","row":{nonsense}}') }),
    ],
    [
      'two values in a line',
      'backup_refused',
      'is no row',
      () => ({ ...sound, rows: sound.rows.with(1, '{"table":"entity_memory","row":{},"row":{}}') }),
    ],
    ['bytes that are no text', 'backup_refused', 'is no row', notText],
    [
      'a table of another kind',
      'backup_refused',
      'line 2',
      () => ({ ...sound, rows: ['{"table":"store_setting","row":{}}', ...sound.rows] }),
    ],
    [
      'counts that do not fit',
      'backup_refused',
      'rows of entity_memory',
      raw(/"entity_memory":(\d+)/, '"entity_memory":1$1'),
    ],
    ['another form', 'backup_refused', 'has form 2', raw('"form":1', '"form":2')],
    ['a header that lacks something', 'backup_refused', 'first line lacks', raw('"program":"test",', '')],
    ['a newer schema', 'schema_newer', 'schema 9000', raw(/"schema":\d+/, '"schema":9000')],
  ])('[D7,D8] with %s', async (_, code, reason, make) => {
    const made = make();
    const error = await refusal(made instanceof Uint8Array ? made : sealed(made));
    expect({ code: error.code, message: error.message }).toEqual({ code, message: expect.stringContaining(reason) });
    expect(error.message).not.toMatch(/memory\.|select|nonsense/);
  });

  it('[D8] with a credential names the rule, the line and never the value; it may be allowed', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const file = sealed(
      changed(sound, 'conversation_memory', (row) => ({ ...row, payload: { text: `my token is ${secret}` } })),
    );
    const { code, message } = await refusal(file);
    expect(code).toBe('secret_refused');
    expect(message).toMatch(/line \d+, field payload,.*\(.*github.*\)/i);
    expect(message).not.toContain('a1B2');
    expect(await imported(fixture, 'allowed', file, { asTenant: true, allowSecrets: true })).toMatchObject({
      unchanged: 0,
    });
  });

  it('[D7] of another tenant is refused unless that is asked for', async () => {
    const { code, message } = await refusal(bytes, { asTenant: false });
    expect({ code, message }).toEqual({ code: 'backup_refused', message: expect.stringContaining('--as-tenant') });
  });

  function secondActive(): Lines {
    const workflows = rowsOf(sound, 'workflow_memory');
    const first = workflows.find(({ row }) => row['valid_until'] === null);
    const line = JSON.stringify({
      table: 'workflow_memory',
      row: { ...first?.row, id: 'zzz' },
    });
    return { ...sound, rows: sound.rows.toSpliced((workflows.at(-1)?.place ?? 0) + 1, 0, line) };
  }

  function threadMissing(): Lines {
    return { ...sound, rows: sound.rows.filter((line) => !line.startsWith('{"table":"thread"')) };
  }

  function notText(): Uint8Array {
    const text = textOf(changed(sound, 'summarization_memory', (row) => ({ ...row, title: 'MARK' }))).split('MARK');
    const broken = Buffer.concat([Buffer.from(text[0] ?? ''), Buffer.from([0xff, 0xfe]), Buffer.from(text[1] ?? '')]);
    return resealed(broken);
  }
});
