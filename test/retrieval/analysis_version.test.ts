// Index rows of one version of the analysis are alike (design Q2, D3): what changes them must change the version too.

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { operatorScope } from '../../src/auth/make_scope.ts';
import { placedMemories } from '../../src/manager/index_rows.ts';
import { rowId } from '../../src/model/ids.ts';
import { indexEntry, indexTexts } from '../../src/retrieval/index_entry.ts';
import { analysisVersion } from '../../src/retrieval/version.ts';
import type { NewRow } from '../../src/store/written_rows.ts';
import { document, entity, summary, turn, workflow } from '../store/harness.ts';

/** What the index of the corpus hashes to. A hash that was released stays; a new version gets one of its own. */
const hashes: Readonly<Record<number, string>> = {
  1: '5000c44929d0600da22b69ddd0667d726f576a06b8747aee1026647e6dc7af11',
};

const sentences = [
  'Which of the retrievers was quicker, and did anybody measure the re-ranking?',
  'Die Verfügbarkeit der Häuser ist geprüft worden, und der Bericht liegt vor.',
  'Les réunions du comité sont annulées parce que la salle n’est pas libre.',
  'Las mediciones de la semana pasada estaban equivocadas.',
  '東京の評価会議で、検索の再現率が上がったと報告されました。',
  '会议记录保存在档案里。 검색 결과는 보고서에 있습니다. ผลการค้นหาอยู่ในรายงาน',
  'Отчёты о проверках хранятся в архиве.',
  'وصلت التقارير إلى المكتبة في المدينة.',
  'recall_messageLimit.v2 fails with ORA-27102 at /var/log/app-1.log; invoice INV-48291 is 1,204.50 in C++ and C#.',
  `A text with ${'many words that differ '.repeat(3)}and ＦＵＬＬ width, ﬁ ligatures, ½ and naïve café.`,
];

const corpus: readonly NewRow[] = [
  ...sentences.map((text, place) => turn({ id: rowId(`said_${place}`), text, speaker: place === 0 ? 'Jane' : null })),
  entity({
    id: rowId('fact'),
    subject: 'model:helios-rag',
    predicate: 'beir_ndcg10',
    content: 'Helios-RAG scored 0.78 on BEIR.',
    aliases: ['Helios', 'the Helios retriever (v2)'],
  }),
  workflow({
    id: rowId('way'),
    name: 'rotate_keys',
    description: 'Rotates the keys.',
    steps: ['Make one.', 'Swap it.'],
  }),
  summary({
    id: rowId('episode'),
    title: 'July evaluation',
    summary: 'Four candidates were left.',
    outcome: 'Helios won.',
  }),
  document({
    id: rowId('paper'),
    title: 'Notes on retention',
    chunks: ['Memory is kept for ninety days.', 'Then it is erased.', 'Nothing is left of it.', 'See §4.'].map(
      (content, place) => ({ id: rowId(`paper_c${place}`), content, metadata: {} }),
    ),
  }),
];

it('[Q2,D3] the index of a fixed corpus comes out as this version of the analysis says', () => {
  const hash = createHash('sha256');
  for (const { memory, neighbours } of placedMemories(corpus, operatorScope('acme'))) {
    const { ref, terms, lengths, names } = indexEntry(memory, neighbours, []);
    hash.update(JSON.stringify([ref, [...terms], lengths, names, indexTexts(memory, neighbours)]));
  }
  expect(hash.digest('hex'), 'raise analysisVersion, and write its hash here').toBe(hashes[analysisVersion]);
});
