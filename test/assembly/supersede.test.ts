// What a text changes on its way (C1): an outdated sentence is left out of a summary, or stands beside the newer one.

import { describe, expect, it } from 'vitest';
import { featuresOf } from '../../src/assembly/summarise/features.ts';
import { unfaithful } from '../../src/assembly/summarise/faithful.ts';
import { summarise, summariseTurns } from '../../src/assembly/summarise/summarise.ts';
import { countTokens } from './fixtures.ts';

const filler = [
  'The garden behind the house was quiet all afternoon and the neighbours played cards.',
  'Somebody told a long story about a boat that had never left the harbour.',
  'Later the children drew pictures of the lighthouse and of a very large dog.',
];

/** A summary that has room for about half of the text. */
function halved(sentences: readonly string[], separator = ' '): string {
  const text = [...sentences, ...filler].join(separator);
  return summarise(text, Math.floor(countTokens(text) * 0.6), countTokens);
}

describe('what a sentence says', () => {
  it.each([
    ['The limit is 30 days.', [['unit day', '30']]],
    [
      'It costs 1,200.50 EUR or €95.',
      [
        ['money', '1,200.50'],
        ['money', '95'],
      ],
    ],
    ['Es kostet 1.200,50 Euro.', [['money', '1.200,50']]],
    ['Le prix est de 38 050 €.', [['money', '38 050']]],
    [
      'Due 2026-05-14 at 09:30.',
      [
        ['date', '2026-05-14'],
        ['time', '09:30'],
      ],
    ],
    [
      'Am 14. Mai 2026 oder May 15, 2026.',
      [
        ['date', '14. Mai 2026'],
        ['date', 'May 15, 2026'],
      ],
    ],
    ['期限は5月14日です。', [['date', '5月14日']]],
    [
      'It takes 45ms, 12 % of all.',
      [
        ['unit ms', '45ms'],
        ['%', '12'],
      ],
    ],
  ])('[C1] measures %s', (sentence, values) => {
    expect(featuresOf(sentence).values.map(({ kind, text }) => [kind, text])).toEqual(values);
  });

  it('[C1] names identifiers letter by letter, and takes no unit for one', () => {
    const { identifiers } = featuresOf('Use KX-2291-B with max_retries, src/main.ts and ORA-27102, at 20 MB or 5 EUR.');
    expect([...identifiers]).toEqual(['KX-2291-B', 'max_retries', 'src/main.ts', 'ORA-27102']);
  });

  it.each([
    ['Never deploy on Fridays.', 'negation'],
    ['Das darf nicht passieren.', 'negation'],
    ['Les clés ne quittent jamais le coffre.', 'negation'],
    ['No se envían facturas.', 'negation'],
    ['Não enviamos faturas.', 'negation'],
    ['直接実行しないでください。', 'negation'],
    ['禁止直接执行。', 'negation'],
    ['Only Mira may do it.', 'limit'],
    ['Wir verwenden es nicht mehr.', 'change'],
    ['The port used to be 80.', 'past'],
    ['Maybe we could try 80.', 'hedge'],
  ] as const)('[C1] hears in %s the cue %s', (sentence, cue) => {
    expect(featuresOf(sentence).cues).toContain(cue);
  });
});

describe('outdated sentences', () => {
  it.each([
    ['The budget for the workshop is 4,000 EUR.', 'The budget for the workshop is now 5,200 EUR.', '4,000', '5,200'],
    ['The session timeout is 30 minutes.', 'We changed the session timeout to 45 minutes.', '30 min', '45 min'],
    ['Use KX-2291-B for the backup bucket.', 'From now on use LW-7710-A for the backup bucket.', 'KX', 'LW'],
    ['Das Budget für den Umzug beträgt 900 €.', 'Das Budget für den Umzug beträgt jetzt 1.100 €.', '900', '1.100'],
    ['Le budget du stand est de 800 €.', 'Le budget du stand est désormais de 950 €.', '800', '950'],
    ['El tamaño del lote es de 20 filas.', 'Cambiamos el tamaño del lote a 35 filas.', '20 filas', '35 filas'],
    ['納品の期限は5月14日です。', '納品の期限は6月2日に変更になりました。', '5月14日', '6月2日'],
    ['max_retries = 3', 'max_retries = 5', '= 3', '= 5'],
  ])('[C1] %s gives way to: %s', (before, after, old, current) => {
    const summary = halved([before, after], before.includes('=') ? '\n' : ' ');
    expect(summary).toContain(current);
    expect(summary).not.toContain(old);
  });

  it('[C1] a newer value without a word of change keeps the older one beside it, or stands alone', () => {
    const [before, after] = ['The retry limit of the queue is 5 tries.', 'The retry limit of the queue is 8 tries.'];
    const limits = Array.from({ length: 80 }, (_, index) => index);
    const summaries = limits.map((tokens) => summarise([before, ...filler, after].join(' '), tokens, countTokens));
    expect(summaries.some((summary) => summary.includes('8 tries'))).toBe(true);
    expect(summaries.filter((summary) => summary.includes('5 tries') && !summary.includes('8 tries'))).toEqual([]);
  });

  it('[C1] a correction that names nothing stands with what it corrects, never one without the other', () => {
    const [before, after] = ['The upload size must not exceed 40 MB.', 'No, 60 MB.'];
    for (let tokens = 3; tokens <= 80; tokens += 1) {
      const summary = summarise([...filler, before, after].join(' '), tokens, countTokens);
      expect(summary.includes('40 MB')).toBe(summary.includes('60 MB'));
    }
  });

  it('[C1] what was once so does not outdate what is so', () => {
    const summary = halved([
      'The audit is on 12 June 2026.',
      'The audit was moved to 3 July 2026.',
      'Funny that the audit was originally planned for 12 June 2026.',
    ]);
    expect(summary).toContain('3 July 2026');
  });

  it('[C1] sentences of one shape about different things do not outdate each other', () => {
    const first = 'The budget for the Lisbon workshop is 4,000 EUR.';
    const second = 'The budget for the summer party is now 900 EUR.';
    const text = [first, second, ...filler].join(' ');
    const summary = summarise(text, countTokens(text) - 12, countTokens);
    expect(summary).toContain(first);
    expect(summary).toContain(second);
  });

  it('[C1] a suggestion replaces nothing', () => {
    const text = ['The page size is 50 entries.', 'Maybe we could change the page size to 80 entries.', ...filler];
    const summary = summarise(text.join(' '), 34, countTokens);
    expect(summary).toContain('50 entries');
  });
});

describe('digests', () => {
  const turns = [
    { role: 'user', speaker: null, turnIndex: 1, text: 'Good morning! Never send quotes to Kramer by fax.' },
    { role: 'assistant', speaker: null, turnIndex: 2, text: 'Understood. Shall I go on?' },
    { role: 'user', speaker: 'Ada', turnIndex: 3, text: 'The contract is KX-2291-B.\nIt ends on 2027-03-31.' },
  ] as const;

  it('[C1] have a line for each turn that something is kept of, with who spoke and its index', () => {
    expect(summariseTurns(turns, 200, countTokens).split('\n')).toEqual([
      'user 1: Never send quotes to Kramer by fax.',
      'Ada 3: The contract is KX-2291-B. It ends on 2027-03-31.',
    ]);
  });

  it('[C1] never take more than they may', () => {
    for (let tokens = 0; tokens < 60; tokens += 1) {
      expect(countTokens(summariseTurns(turns, tokens, countTokens))).toBeLessThanOrEqual(tokens);
    }
  });
});

describe('a summary by somebody else', () => {
  const source = 'Quotes above 25,000 EUR need approval. Never send KX-2291-B by fax. The audit is on 14 May 2026.';

  it.each([
    ['Quotes above 25,000 EUR need approval.', null],
    ['Approval: above 25,000 EUR. Audit 14 May 2026.', null],
    ['1. Quotes above 25,000 EUR need approval.', null],
    ['Never send KX-2291-B by fax.', null],
    ['Quotes above 2,500 EUR need approval.', 'a number'],
    ['Quotes above 25 EUR need approval.', 'a number'],
    ['Quotes above 5,000 EUR need approval.', 'a number'],
    ['The audit is on 14 June 2026.', 'a number'],
    ['Never send KX-2291 by fax.', 'an identifier'],
    ['Send KX-2291-B by fax.', 'a negation'],
    ['Quotes above 25,000 EUR need no approval.', 'a negation'],
  ])('[C1] %s', (summary, fault) => {
    expect(unfaithful(source, summary)).toBe(fault);
  });
});
