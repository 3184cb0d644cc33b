// The plan's rules (design Q1) on a small labelled set, and its parts one by one.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../../src/model/time.ts';
import { nameForms, normaliseName, questionNames } from '../../src/retrieval/names.ts';
import { makePlan, type PlanContext } from '../../src/retrieval/plan.ts';

const nothingKnown: PlanContext = {
  evaluationTime: instant('2026-09-28T12:00:00Z'),
  subjects: [],
  collections: [],
  predicates: [],
};

const plan = (question: string, known: Partial<PlanContext> = {}) => makePlan(question, { ...nothingKnown, ...known });

const labelled = [
  ['Is Helios-RAG still the one to beat? You told us it scored 0.92.', 'fact_check'],
  ['Is it true that refunds above 250 need approval?', 'fact_check'],
  ['What is the refund threshold?', 'fact_check'],
  ['How many days are raw events kept?', 'fact_check'],
  ['Does the buffer ever evict core blocks?', 'fact_check'],
  ['Please confirm the default port.', 'fact_check'],
  ['Compare eviction in the Letta paper with expiry in the AgentCore docs.', 'comparison'],
  ['What is the difference between a summary and a compression?', 'comparison'],
  ['Letta versus AgentCore on eviction?', 'comparison'],
  ['Which is faster, exact search or sign bits?', 'comparison'],
  ['How do I rotate the API keys?', 'how_to'],
  ['What are the steps to restore a backup?', 'how_to'],
  ['Walk me through a failover.', 'how_to'],
  ['What did we decide about Stripe retries last month?', 'recall'],
  ['Do you remember our last conversation about budgets?', 'recall'],
  ['When did you suggest the smaller index?', 'recall'],
  ['Tell me about agent memory.', 'open'],
  ['', 'open'],
  ['Stimmt es, dass Helios noch bei 0,92 liegt?', 'fact_check'],
  ['Was ist der Unterschied zwischen Letta und AgentCore?', 'comparison'],
  ['Wie kann ich den Index neu aufbauen?', 'how_to'],
  ['Comment puis-je restaurer une sauvegarde ?', 'how_to'],
  ['Quelle est la différence entre les deux ?', 'comparison'],
  ['¿Cuál es la diferencia entre los dos?', 'comparison'],
  ['¿Qué decidimos la última vez?', 'recall'],
  ['Como posso restaurar um backup?', 'how_to'],
  ['LettaとAgentCoreを比較してください', 'comparison'],
  ['バックアップを復元する方法', 'how_to'],
  ['メモリの予算はいくつですか', 'fact_check'],
  ['前回決めたことは何でしたっけ', 'recall'],
] as const;

describe('intent [Q1]', () => {
  it.for(labelled)('reads %s as %s', ([question, intent]) => {
    expect(plan(question).intent).toBe(intent);
  });

  it('compares two named things that a pairing word joins', () => {
    const subjects = [
      { subject: 'model:helios-rag', names: ['Helios-RAG'] },
      { subject: 'model:meridian', names: ['Meridian'] },
    ];
    expect(plan('Helios-RAG or Meridian?', { subjects }).intent).toBe('comparison');
    expect(plan('Helios-RAG or Meridian?').intent).toBe('open');
  });
});

describe('names [Q1]', () => {
  it('brings subjects and questions to one form', () => {
    expect(nameForms('model:helios-rag')).toEqual(['helios rag', 'heliosrag', 'model helios rag', 'modelheliosrag']);
    for (const question of [
      'Is Helios-RAG best?',
      'is helios rag best',
      'HeliosRAGはまだ最高?',
      'Helios-RAG’s score',
    ]) {
      const asked = new Set(questionNames(question));
      expect([question, nameForms('model:helios-rag').some((form) => asked.has(form))]).toEqual([question, true]);
    }
    expect(normaliseName('  Café_Zürich! ')).toBe('cafe zurich');
  });

  it('asks for a bounded number of names whatever the question', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3_000 }), (question) => {
        const names = questionNames(question);
        expect(names.length).toBeLessThanOrEqual(1_000);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it('lists subjects once with all their names, sorted', () => {
    const subjects = [
      { subject: 'b', names: ['z', 'a'] },
      { subject: 'a', names: [] },
      { subject: 'b', names: ['m'] },
    ];
    expect(plan('b and a', { subjects }).subjects).toEqual([
      { subject: 'a', names: ['a'] },
      { subject: 'b', names: ['a', 'b', 'm', 'z'] },
    ]);
  });
});

describe('predicates and collections [Q1]', () => {
  it('finds a predicate whose words the question holds in any form', () => {
    const predicates = ['refund_threshold', 'beir_ndcg_at_10', 'owner'];
    expect(plan('What threshold do refunds have?', { predicates }).predicates).toEqual(['refund_threshold']);
    expect(plan('Who are its owners?', { predicates }).predicates).toEqual(['owner']);
  });

  it('does not take an ordinary word for a collection', () => {
    const collections = ['research', 'release notes'];
    expect(plan('What does research say?', { collections }).collections).toEqual([]);
    expect(plan('What do the research papers say?', { collections }).collections).toEqual(['research']);
    expect(plan('Look in the collection research', { collections }).collections).toEqual(['research']);
    expect(plan('What do the Release Notes say?', { collections }).collections).toEqual(['release notes']);
  });
});

const days = (range: { readonly from: string | null; readonly until: string | null } | null) =>
  range === null ? null : [range.from?.slice(0, 10) ?? null, range.until?.slice(0, 10) ?? null];

describe('time words [Q1]', () => {
  it.for([
    ['what happened today?', ['2026-09-28', '2026-09-29']],
    ['what happened yesterday?', ['2026-09-27', '2026-09-28']],
    ['the day before yesterday', ['2026-09-26', '2026-09-27']],
    ['last week', ['2026-09-21', '2026-09-28']],
    ['last month', ['2026-08-01', '2026-09-01']],
    ['this year', ['2026-01-01', '2027-01-01']],
    ['last quarter', ['2026-04-01', '2026-07-01']],
    ['in the last 30 days', ['2026-08-29', '2026-09-29']],
    ['three weeks ago', ['2026-09-07', '2026-09-14']],
    ['two days ago', ['2026-09-26', '2026-09-27']],
    ['last Monday', ['2026-09-21', '2026-09-22']],
    ['in July', ['2026-07-01', '2026-08-01']],
    ['in November', ['2025-11-01', '2025-12-01']],
    ['on 14 March 2026', ['2026-03-14', '2026-03-15']],
    ['on March 14th, 2025', ['2025-03-14', '2025-03-15']],
    ['on 2026-03-14', ['2026-03-14', '2026-03-15']],
    ['in Q2', ['2026-04-01', '2026-07-01']],
    ['in 2025', ['2025-01-01', '2026-01-01']],
    ['since March 2026', ['2026-03-01', null]],
    ['after June 2026', ['2026-07-01', null]],
    ['before July', [null, '2026-07-01']],
    ['until 2026-02-10', [null, '2026-02-11']],
    ['between 2026-01-05 and 2026-02-10', ['2026-01-05', '2026-02-11']],
    ['from May 2026 to June 2026', ['2026-05-01', '2026-07-01']],
    ['was haben wir gestern besprochen?', ['2026-09-27', '2026-09-28']],
    ['先週の会議', ['2026-09-21', '2026-09-28']],
    ['may it use 2000 characters?', null],
    ['2026-13-45', null],
  ] as const)('resolves %s against the evaluation time', ([question, expected]) => {
    expect(days(plan(question).timeRange)).toEqual(expected);
  });
});

describe('language hints [Q1]', () => {
  it.for([
    ['What is the budget?', 'en'],
    ['Wie hoch ist das Budget für die Suche?', 'de'],
    ['Quel est le budget pour la recherche ?', 'fr'],
    ['メモリの予算はいくつですか', 'ja'],
    ['记忆预算是多少', 'zh'],
    ['หน่วยความจำ', 'th'],
    ['메모리 예산', 'ko'],
  ] as const)('takes %s for %s', ([question, language]) => {
    expect(plan(question).languageHints[0]).toBe(language);
  });
});

describe('plans [Q1]', () => {
  it('are made of any text, and the same text makes the same plan', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (question) => {
        expect(plan(question)).toEqual(plan(question));
      }),
    );
  });

  it('are made of a hostile text in bounded time', () => {
    for (const text of [
      'how did '.repeat(50_000),
      'what is '.repeat(50_000),
      ' '.repeat(400_000),
      'a-'.repeat(200_000),
    ]) {
      expect(plan(text).subjects).toEqual([]);
    }
  });
});
