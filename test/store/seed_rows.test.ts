// Seed files (design D7): a bad one says which file, section, row and field, before anything is written.

import { describe, expect, it } from 'vitest';
import { checkSeedSet, parseSeedFile } from '../../src/store/seed_rows.ts';

const refused = (json: unknown) => {
  try {
    parseSeedFile(json, 'seed.json');
    return null;
  } catch (error) {
    return error;
  }
};

const entity = (given: object = {}) => ({ id: 'e1', subject: 's', predicate: 'p', content: 'c', ...given });
const turn = (given: object = {}) => ({
  id: 't1',
  user_id: 'jane',
  thread_id: 'main',
  event_type: 'user_msg',
  text: 'Hello',
  created_at: '2026-01-01T00:00:00Z',
  ...given,
});
const paper = (given: object = {}) => ({
  id: 'd1',
  collection: 'c',
  title: 't',
  source_uri: 'u',
  source_type: 'paper',
  chunks: [{ id: 'd1_c0', content: 'x' }],
  ...given,
});

describe('seed files', () => {
  it('[D7] fill in what a row leaves open', () => {
    const seed = parseSeedFile(
      { tenant_id: 'acme', entities: [entity()], turns: [turn()], documents: [paper()] },
      'seed.json',
    );
    expect(seed.tenantId).toBe('acme');
    const [fact, said, document] = seed.rows;
    expect(fact).toMatchObject({
      type: 'entity',
      userId: null,
      threadId: null,
      version: 1,
      supersededBy: null,
      validFrom: null,
      trust: 'imported',
      writtenBy: 'seed',
      conditions: null,
      aliases: [],
      value: null,
    });
    expect(said).toMatchObject({ type: 'conversation', speaker: null, createdAt: '2026-01-01T00:00:00.000000Z' });
    expect(document).toMatchObject({
      type: 'document',
      metadata: {},
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      chunks: [{ id: 'd1_c0', content: 'x', metadata: {} }],
    });
  });

  it.each([
    ['an unknown column', { entities: [entity(), entity({ id: 'e2', colour: 'red' })] }, 'entities', 1, 'e2', 'colour'],
    ['a missing column', { turns: [{ ...turn(), text: undefined }] }, 'turns', 0, 't1', 'text'],
    ['a wrong id', { entities: [entity({ id: 'a b' })] }, 'entities', 0, 'a b', 'id'],
    [
      'a time without its zone',
      { turns: [turn({ created_at: '2026-01-01T00:00:00' })] },
      'turns',
      0,
      't1',
      'created_at',
    ],
    ['a confidence above 1', { entities: [entity({ confidence: 2 })] }, 'entities', 0, 'e1', 'confidence'],
    ['text that cannot be stored', { entities: [entity({ content: 'a\u0000' })] }, 'entities', 0, 'e1', 'content'],
    [
      'a chunk without content',
      { documents: [paper({ chunks: [{ id: 'x' }] })] },
      'documents',
      0,
      'd1',
      'chunks.0.content',
    ],
    ['an id that two rows have', { entities: [entity(), entity({ subject: 'x' })] }, 'entities', 1, 'e1', 'id'],
    [
      'an id that two chunks have',
      { documents: [paper(), paper({ id: 'd2', source_uri: 'v' })] },
      'documents',
      1,
      'd2',
      'chunks.0.id',
    ],
    ['two active rows of one key', { entities: [entity(), entity({ id: 'e2' })] }, 'entities', 1, 'e2', 'valid_until'],
    ['a row that is no object', { entities: ['x'] }, 'entities', 0, null, ''],
  ] as const)('[D7] refuse %s by file, section, row and field', (_, sections, section, index, id, field) => {
    const error = refused({ tenant_id: 'acme', ...sections });
    expect(error).toMatchObject({ code: 'invalid_seed', data: { file: 'seed.json', section, index, id, field } });
    expect(String(error)).toContain(`seed.json: ${section}[${index}]`);
  });

  it.each([
    ['no object', [], /JSON object/],
    ['a tenant that is none', { tenant_id: '' }, /tenant_id/],
    ['an unknown section', { tenant_id: 'acme', facts: [] }, /"facts" is not one of/],
    ['a section that is no list', { tenant_id: 'acme', turns: {} }, /"turns" must be a list/],
  ] as const)('[D7] refuse %s', (_, json, message) => {
    expect(refused(json)).toMatchObject({ code: 'invalid_seed', message: expect.stringMatching(message) });
  });

  it('[D7] refuse a broken policy row by its place and field', () => {
    const guidelines = [{ id: 'g1', guideline_key: 'context_budget', guideline_value: { usable_context: 'much' } }];
    expect(refused({ tenant_id: 'acme', guidelines })).toMatchObject({
      code: 'policy_invalid',
      message: expect.stringContaining('seed.json: guidelines[0] (g1)'),
      data: { section: 'guidelines', field: 'usable_context' },
    });
  });

  it('[D7] of one set must agree: ids, keys, superseded_by and refs lead to rows of their tenant', () => {
    const parse = (sections: object, name = 'a.json', tenant = 'acme') =>
      parseSeedFile({ tenant_id: tenant, ...sections }, name);
    const check = (...seeds: ReturnType<typeof parse>[]) => {
      try {
        checkSeedSet(seeds);
        return null;
      } catch (error) {
        return error;
      }
    };
    const old = entity({ valid_until: '2026-02-01T00:00:00Z', superseded_by: 'e2' });
    const now = entity({ id: 'e2', version: 2 });
    const ref = { derived: ['conversation', 't1', 1], source: ['entity', 'e2', 2], relation: 'mentions' };
    expect(
      check(parse({ entities: [old] }), parse({ entities: [now], turns: [turn()], source_refs: [ref] }, 'b.json')),
    ).toBeNull();
    expect(check(parse({ entities: [old] }))).toMatchObject({ data: { id: 'e1', field: 'superseded_by' } });
    expect(check(parse({ entities: [now], source_refs: [ref] }))).toMatchObject({
      data: { section: 'source_refs', index: 0, field: 'derived' },
    });
    const wrongVersion = { ...ref, source: ['entity', 'e2', 1] };
    expect(check(parse({ entities: [now], turns: [turn()], source_refs: [wrongVersion] }))).toMatchObject({
      data: { field: 'source' },
    });
    expect(
      check(
        parse({ turns: [turn()], entities: [entity()] }),
        parse({ entities: [entity({ subject: 'x' })] }, 'b.json'),
      ),
    ).toMatchObject({
      data: { file: 'b.json', section: 'entities', index: 0, field: 'id' },
    });
    // Ids of two tenants may be equal.
    expect(check(parse({ entities: [entity()] }), parse({ entities: [entity()] }, 'b.json', 'globex'))).toBeNull();
    const chunkLink = { source: ['chunk', 'd1_c0', 1], target: ['document', 'd1', 1], relation: 'supports' };
    expect(check(parse({ documents: [paper()], links: [chunkLink] }))).toBeNull();
  });
});
