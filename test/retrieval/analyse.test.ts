// Terms of texts and questions (design Q2): what is kept whole, what is folded, what bounds hold.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse, fold, longestTerm, mostTerms, questionTerms } from '../../src/retrieval/analyse.ts';
import { stem } from '../../src/retrieval/stem.ts';

describe('terms [Q2]', () => {
  it('finds an identifier whole and by its parts', () => {
    expect(analyse('Is ORA-27102 raised for INV-48291?')).toEqual([
      'ora-27102',
      'ora',
      '27102',
      'rais',
      'inv-48291',
      'inv',
      '48291',
    ]);
    expect(analyse('recall_retention_days')).toEqual(['recall_retention_days', 'recal', 'retent', 'day']);
    expect(analyse('eventExpiryDuration')).toEqual(['eventexpiryduration', 'event', 'expiri', 'durat']);
    expect(analyse('HTTPServer')).toEqual(['httpserver', 'http', 'server']);
  });

  it('keeps paths, versions, decimals and grouped numbers', () => {
    expect(analyse('/var/lib/store/data.sql')).toEqual(
      expect.arrayContaining(['var/lib/store/data.sql', 'data.sql', 'store', 'sql']),
    );
    expect(analyse('v1.2.3')).toContain('v1.2.3');
    expect(analyse('scored 0.92, then 71.8%')).toEqual(['score', '0.92', '71.8']);
    expect(analyse('12,345 rows')).toEqual(['12345', 'row']);
    expect(analyse('C++ and C#')).toEqual(['c++', 'c#']);
  });

  it('folds case and accents, and letters that no accent explains', () => {
    expect(analyse('Café DÉJÀ façade')).toEqual(analyse('cafe deja facade'));
    expect(fold('Straße Ærø Łódź')).toBe('strasse aero lodz');
    expect(analyse('ｍｅｍｏｒｙ')).toEqual(analyse('memory'));
  });

  it('keeps the marks of kana and Thai, which are no accents', () => {
    expect(fold('が')).toBe('が');
    expect(fold('ที่')).toBe('ที่');
  });

  it('leaves function words out and joins forms of one English word', () => {
    expect(analyse('What was the threshold of it?')).toEqual(['threshold']);
    expect(analyse('agencies agency')).toEqual(['agenc', 'agenc']);
    expect(analyse('She ran; they run. Children, a child.')).toEqual(['run', 'run', 'child', 'child']);
    expect(analyse("Caroline's and Caroline’s")).toEqual(['carolin', 'carolin']);
    expect(analyse("don't")).toEqual([]);
  });

  it('reads Japanese and Chinese by pairs and single ideographs', () => {
    expect(analyse('予算')).toEqual(['予', '予算', '算']);
    expect(analyse('メモリ')).toEqual(['メモ', 'モリ']);
    const asked = new Set(analyse('メモリの予算はいくつですか'));
    expect(analyse('メモリ予算').filter((term) => asked.has(term))).toEqual(
      expect.arrayContaining(['メモ', 'モリ', '予算']),
    );
    expect(analyse('记忆预算')).toEqual(expect.arrayContaining(['记忆', '预算']));
  });

  it('reads Thai by pairs and keeps Latin identifiers inside such text whole', () => {
    expect(analyse('หน่วยความจำ').length).toBeGreaterThan(4);
    expect(analyse('ใช้หน่วยความจำ')).toEqual(expect.arrayContaining([...analyse('หน่วยความจำ')].slice(0, 5)));
    expect(analyse('エラーLM-4107です')).toEqual(expect.arrayContaining(['lm', '4107', 'エラ', 'ラー']));
    expect(analyse('エラー LM-4107 です')).toContain('lm-4107');
  });

  it('takes any text as text, never as syntax', () => {
    expect(analyse(`'"); drop table x; -- & | ! ( ) :* <->`)).toEqual(['drop', 'tabl', 'x']);
    expect(analyse('\u0000\ud800 lone \udfff')).toEqual(['lone']);
  });

  it('bounds the number and the length of terms', () => {
    const many = analyse('word '.repeat(mostTerms + 500));
    expect(many).toHaveLength(mostTerms);
    expect(analyse('日'.repeat(100_000)).length).toBeLessThanOrEqual(mostTerms);
    expect(analyse('x'.repeat(1_000_000))).toEqual(['x'.repeat(longestTerm)]);
    expect(analyse(`${'x'.repeat(longestTerm - 1)}𝒳𝒳`.normalize('NFC'))[0]?.isWellFormed()).toBe(true);
  });

  it('asks for each term of a question once, up to a limit', () => {
    expect(questionTerms('retry retries retried budget')).toEqual(['retri', 'budget']);
    expect(questionTerms('one1 two2 three3', 2)).toEqual(['one1', 'two2']);
  });

  it('never throws, stays bounded and gives the same terms for the same text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc
        .array(fc.constantFrom('a', 'É', '_', '-', '.', '/', "'", '#', '日', 'か', 'ที่', '1', ',', ' ', '\ud800'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (sample) => {
        const terms = analyse(sample);
        expect(terms.length).toBeLessThanOrEqual(mostTerms);
        for (const term of terms) {
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(longestTerm);
          expect(/\p{Cc}|\s/u.test(term)).toBe(false);
          expect(term.isWellFormed()).toBe(true);
        }
        expect(analyse(sample)).toEqual(terms);
      }),
    );
  });
});

describe('the stemmer [Q2]', () => {
  it.for([
    ['caresses', 'caress'],
    ['ties', 'tie'],
    ['cries', 'cri'],
    ['gas', 'gas'],
    ['kiwis', 'kiwi'],
    ['agreed', 'agre'],
    ['hopping', 'hop'],
    ['hoping', 'hope'],
    ['luxuriated', 'luxuri'],
    ['happy', 'happi'],
    ['by', 'by'],
    ['say', 'say'],
    ['relational', 'relat'],
    ['conditional', 'condit'],
    ['valence', 'valenc'],
    ['digitizer', 'digit'],
    ['operator', 'oper'],
    ['feudalism', 'feudal'],
    ['hopefulness', 'hope'],
    ['formality', 'formal'],
    ['sensibility', 'sensibl'],
    ['triplicate', 'triplic'],
    ['electrical', 'electr'],
    ['goodness', 'good'],
    ['revival', 'reviv'],
    ['adjustment', 'adjust'],
    ['adoption', 'adopt'],
    ['communism', 'communism'],
    ['generously', 'generous'],
    ['rate', 'rate'],
    ['controlling', 'control'],
    ['rolling', 'roll'],
    ['yearly', 'year'],
    ['skies', 'sky'],
    ['dying', 'die'],
    ['news', 'news'],
    ['proceeded', 'proceed'],
    ['knightly', 'knight'],
  ] as const)('joins the forms of a word: %s', ([word, expected]) => {
    expect(stem(word)).toBe(expected);
  });

  it('leaves other text as it is', () => {
    for (const word of ['', 'is', '0.92', 'ora-27102', 'naïve', 'メモリ']) expect(stem(word)).toBe(word);
  });

  it('never makes a word longer than by one letter, and never empty', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'.split('')), minLength: 1, maxLength: 24 }),
        (word) => {
          const stemmed = stem(word);
          expect(stemmed.length).toBeGreaterThan(0);
          expect(stemmed.length).toBeLessThanOrEqual(word.length + 1);
        },
      ),
    );
  });
});
