// The manifest: what it records (M1, M2), that it holds no text, and its published schema (M3).

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../src/assembly/assemble.ts';
import { canonicalHash, canonicalJson, contentHash, sha256Hex } from '../../src/assembly/hash.ts';
import { assembleToolResult } from '../../src/assembly/tool_result.ts';
import { rendererVersion, selectionVersion } from '../../src/assembly/version.ts';
import { rowId } from '../../src/model/ids.ts';
import { instant } from '../../src/model/time.ts';
import { candidate, chunk, entity, input, lifecycle, resultInput, summary, turn, words } from './fixtures.ts';

const corrected = instant('2026-08-17T00:00:00Z');
const older = entity('v1', 'Helios reaches 0.92', {
  subject: 'helios',
  lifecycle: lifecycle({ validUntil: corrected, supersededBy: rowId('v2') }),
});
const newer = entity('v2', 'Helios reaches 0.78', {
  ref: ['entity', rowId('v2'), 2],
  subject: 'helios',
  lifecycle: lifecycle({ validFrom: corrected }),
});
const july = summary('july', 'We favoured Helios for its 0.92', { sourceEventId: rowId('event_9') });
const passage = chunk('passage', words(300, 'secret'));
const shorter = {
  id: rowId('compression_1'),
  source: passage.ref,
  sourceHash: contentHash(passage),
  text: 'abridged words',
  tokens: 2,
  model: 'm',
  promptVersion: '1',
};
const given = input({
  question: 'Does Zanzibar matter?',
  candidates: [
    candidate(older),
    candidate(newer),
    candidate(july),
    candidate(passage, { compression: shorter }),
    candidate(turn(4, 'an utterance of mine'), { slice: 'volatile_tail' }),
  ],
  provenance: [{ derived: july.ref, source: older.ref, relation: 'derived_from' }],
});
const { manifest, request } = assemble(given);

const schema: object = JSON.parse(readFileSync(new URL('../../schema/manifest.schema.json', import.meta.url), 'utf8'));
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);

describe('manifest', () => {
  it('[M1] records versions, budget, plan, and who asked', () => {
    expect(manifest).toMatchObject({
      manifest_id: 'manifest_1',
      kind: 'window',
      renderer_version: rendererVersion,
      selection_version: selectionVersion,
      evaluation_time: '2026-09-28T12:00:00.000000Z',
      budget_ref: ['guideline', 'context_context_budget', 1],
      intent: 'fact_check',
      plan: { intent: 'fact_check', question_hash: sha256Hex(given.question) },
      scn: '42',
      client: { name: 'host', version: '1.0' },
      loop: null,
    });
    expect(manifest.code_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(manifest.budget).toMatchObject({
      usable_context: 5000,
      request_overhead_reserve: 500,
      evidence: { max_per_document: 3, near_duplicate: 0.8 },
      candidate_caps: { durable_facts: 50, evidence: 200, recalled_history: 12, volatile_tail: 12 },
      implicit_run: { max_rounds: 20, tool_reserve: 16000, max_tool_result_tokens: 2000, idle_seconds: 300 },
      required_corrections: true,
    });
  });

  it('[M1] records each memory with its place, tier, tokens, hash, scores and annotations', () => {
    expect(manifest.memories.find(({ ref }) => ref[1] === 'july')).toMatchObject({
      ref: ['summary', 'july', 1],
      status: 'historical',
      slice: 'recalled_history',
      position: 2,
      tier: 'full',
      content_hash: contentHash(july),
      origin: 'model',
      admitted_by: 'fit',
      annotation_refs: [{ current: newer.ref, source: older.ref }],
      compression: null,
    });
    expect(manifest.memories.map(({ admitted_by }) => admitted_by)).toEqual([
      'required_correction',
      'fit',
      'fit',
      'tail',
    ]);
    expect(manifest.required_refs).toEqual([newer.ref]);
  });

  it('[M1] records what a compression stands for', () => {
    expect(manifest.memories.find(({ ref }) => ref[1] === 'passage')).toMatchObject({
      tier: 'summary',
      compression: 'compression_1',
      content_hash: contentHash(passage),
      origin: 'model',
    });
  });

  it('[M1] records exclusions with their rule', () => {
    expect(manifest.excluded).toEqual([
      { ref: older.ref, slice: 'durable_facts', rule: 'lifecycle', detail: { state: 'superseded' } },
    ]);
  });

  it('[M1] names all that the window depends on', () => {
    expect(manifest.dependencies.map(({ role, id }) => `${role} ${id}`)).toEqual([
      'prefix g_style',
      'prefix p_role',
      'prefix tool_expand',
      'prefix tool_search_memory',
      'memory v2',
      'memory passage',
      'parent_document doc_passage',
      'compression compression_1',
      'memory july',
      'source_event event_9',
      'source v1',
      'correction v2',
      'memory turn_4',
    ]);
  });

  it('[M1] names a dependency once for each role', () => {
    const parts = [0, 1].map((chunkIndex) =>
      candidate(chunk(`part${chunkIndex}`, words(9, `w${chunkIndex}`), { documentId: rowId('doc'), chunkIndex })),
    );
    const { dependencies } = assemble(input({ candidates: parts })).manifest;
    expect(dependencies.filter(({ role }) => role === 'parent_document')).toEqual([
      { ref: ['document', 'doc', 1], id: 'doc', role: 'parent_document' },
    ]);
  });

  it('[M1] hashes the complete request, and the part before the cache boundary', () => {
    expect(manifest.request_hash).toBe(canonicalHash({ messages: request.messages, tools: request.tools }));
    expect(manifest.prefix_hash).toBe(canonicalHash({ messages: [request.messages[0]], tools: request.tools }));
  });

  it('[M1] holds no memory text and no question text', () => {
    const text = canonicalJson(manifest);
    for (const word of [
      'reaches',
      'favoured',
      'secret',
      'abridged',
      'utterance',
      'Zanzibar',
      'two sentences',
      'Head of',
    ])
      expect(text).not.toContain(word);
  });

  it('[M2] says nothing of a completed call', () => {
    expect(Object.keys(manifest)).not.toContain('response');
    expect(manifest.totals.provider_count).toBeNull();
  });

  it('[M1] the same inputs give the same bytes, in any order of rows', () => {
    const again = assemble({
      ...given,
      candidates: given.candidates.toReversed(),
      prefix: {
        guidelines: given.prefix.guidelines.toReversed(),
        personas: given.prefix.personas,
        tools: given.prefix.tools.toReversed(),
      },
    });
    expect(canonicalJson(again.manifest)).toBe(canonicalJson(manifest));
    expect(canonicalJson(again.request)).toBe(canonicalJson(request));
  });
});

describe('schema', () => {
  it('[M3] a window and a tool result validate against the published schema', () => {
    const result = assembleToolResult(resultInput({ candidates: [candidate(passage, { slice: null })] }));
    for (const one of [manifest, result.manifest]) {
      validate(JSON.parse(JSON.stringify(one)));
      expect(validate.errors).toBeNull();
    }
  });

  it('[M3] the schema refuses text that does not belong, a missing figure and an unknown rule', () => {
    const wrong = [
      { ...manifest, question: 'text' },
      { ...manifest, memories: [{ ...manifest.memories[0], content: 'text' }] },
      { ...manifest, totals: { ...manifest.totals, left: undefined } },
      { ...manifest, excluded: [{ ...manifest.excluded[0], rule: 'whim' }] },
      { ...manifest, allocation: {} },
    ];
    for (const one of wrong) expect(validate(JSON.parse(JSON.stringify(one)))).toBe(false);
  });
});
