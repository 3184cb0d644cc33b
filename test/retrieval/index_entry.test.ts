// What is indexed of each type of memory (design Q2): fields, neighbours, names and the texts behind vectors.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { rowId, tenantId, threadId, userId } from '../../src/model/ids.ts';
import type { Entity, Turn } from '../../src/model/memory.ts';
import { instant } from '../../src/model/time.ts';
import { dayInWords, indexEntry, indexTexts, noNeighbours } from '../../src/retrieval/index_entry.ts';

const at = instant('2023-05-08T13:56:00Z');
const common = {
  scope: { tenantId: tenantId('acme'), userId: userId('jane'), agentId: null, threadId: threadId('t') },
  lifecycle: {
    validFrom: at,
    validUntil: null,
    createdAt: at,
    deletedAt: null,
    supersededBy: null,
    quarantinedAt: null,
  },
  trust: 'stated',
  sourceEventId: null,
} as const;

const turn = (id: string, text: string): Turn => ({
  ...common,
  type: 'conversation',
  ref: ['conversation', rowId(id), 1],
  role: 'user',
  speaker: 'Caroline',
  text,
  turnIndex: 1,
  runId: null,
});

const entity: Entity = {
  ...common,
  type: 'entity',
  ref: ['entity', rowId('e1'), 2],
  subject: 'model:helios-rag',
  predicate: 'beir_ndcg_at_10',
  content: 'Helios-RAG scores 0.78.',
  conditions: null,
  aliases: ['Helios'],
  value: 0.78,
  unit: null,
  sourceDocumentId: null,
  confidence: 0.9,
};

describe('index entries [Q2]', () => {
  it('hold a turn by speaker, day, text and neighbours', () => {
    const entry = indexEntry(
      turn('b', 'I painted a lake'),
      { before: [turn('x', 'far away'), turn('a', 'sunset')], after: [turn('c', 'lake sunrise')] },
      [],
    );
    expect(entry.terms.get('carolin')).toEqual([1, 0, 0, 2]);
    expect(entry.terms.get('2023-05-08')).toEqual([0, 1, 0, 0]);
    expect(entry.terms.get('lake')).toEqual([0, 0, 1, 1]);
    expect(entry.terms.get('sunset')).toEqual([0, 0, 0, 1]);
    expect(entry.terms.has('far')).toBe(false);
    expect(entry.lengths[2]).toBe(2);
    expect(entry.contentHash).toBe(createHash('sha256').update('I painted a lake').digest('hex'));
    expect(entry.names).toEqual([]);
  });

  it('[Q1] hold the names of an entity in the form of questions', () => {
    expect(indexEntry(entity, noNeighbours, []).names).toEqual([
      'helios',
      'helios rag',
      'heliosrag',
      'model helios rag',
      'modelheliosrag',
    ]);
  });

  it('hold no date of an entity, whose day would only be noise', () => {
    expect(indexEntry(entity, noNeighbours, []).lengths[1]).toBe(0);
  });

  it('write a day in words and digits', () => {
    expect(dayInWords(at)).toBe('Monday 8 May 2023 2023-05-08');
  });

  it('stay within what an engine can hold of one text', () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `${'é'.repeat(10)}日${index}`.padEnd(60, 'x')).join(' ');
    const bytes = [...indexEntry(turn('l', long), noNeighbours, []).terms.keys()].join('');
    expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(400_000);
  });
});

describe('texts to embed [Q5]', () => {
  it('are the memory with its speaker or title, and the same between its neighbours', () => {
    const neighbours = { before: [turn('1', 'one'), turn('2', 'two'), turn('3', 'three')], after: [turn('5', 'five')] };
    expect(indexTexts(turn('4', 'four'), neighbours)).toEqual([
      { part: 'text', text: 'Caroline: four' },
      { part: 'context', text: 'Caroline: two\nCaroline: three\nCaroline: four\nCaroline: five' },
    ]);
  });
});
