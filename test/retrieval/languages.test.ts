// Lexical search in twelve languages (design Q2): small texts written for it, asked for in other forms of their words.
import { describe, expect, it } from 'vitest';
import { analyse, questionTerms } from '../../src/retrieval/analyse.ts';
import { type LexicalCandidates, scoreLexical } from '../../src/retrieval/bm25.ts';
import type { FieldValues } from '../../src/retrieval/index_entry.ts';
import { languagesByScript, languagesByWords } from '../../src/retrieval/language.ts';
import { stemByLanguage, stemByScript } from '../../src/retrieval/light_stems.ts';
import { rowId } from '../../src/model/ids.ts';

/** Texts of one language, and for each, by its place, questions that only it answers. */
interface Sample {
  readonly language: string;
  readonly texts: readonly string[];
  readonly asked: readonly (readonly [question: string, place: number])[];
}

const samples: readonly Sample[] = [
  {
    language: 'en',
    texts: [
      'The backup was restored from the second data centre after the outage.',
      'Refunds above 250 euros are approved by a person.',
      'Every customer has a separate key, and keys are rotated monthly.',
      'The café on the ground floor closes at four.',
    ],
    asked: [
      ['restoring a backup', 0],
      ['Who approves a refund?', 1],
      ['key rotation of customers', 2],
      ['When does the cafe close?', 3],
    ],
  },
  {
    language: 'de',
    texts: [
      'Die Sicherungen werden nach dem Ausfall aus dem zweiten Rechenzentrum wiederhergestellt.',
      'Rückerstattungen über 250 Euro genehmigt ein Mensch.',
      'Jeder Kunde hat einen eigenen Schlüssel, der monatlich gewechselt wird.',
      'Die Häuser an der Straße stehen unter Denkmalschutz.',
    ],
    asked: [
      ['Woher kommt die Sicherung nach einem Ausfall?', 0],
      ['Wer genehmigt die Rückerstattung?', 1],
      ['Wie oft wechseln die Schlüssel der Kunden?', 2],
      ['Haus in der Strasse', 3],
    ],
  },
  {
    language: 'fr',
    texts: [
      'Les sauvegardes sont restaurées depuis le second centre après la panne.',
      'Les remboursements au-dessus de 250 euros sont approuvés par une personne.',
      'Chaque client a sa propre clé, renouvelée tous les mois.',
      'Le château est fermé pendant les travaux.',
    ],
    asked: [
      ['Comment restaurer une sauvegarde ?', 0],
      ['Qui doit approuver un remboursement ?', 1],
      ['À quel moment la clé des clients est-elle renouvelée ?', 2],
      ['chateaux fermes', 3],
    ],
  },
  {
    language: 'es',
    texts: [
      'Las copias de seguridad se restauran desde el segundo centro después de la avería.',
      'Una persona aprueba los reembolsos de más de 250 euros.',
      'Cada cliente tiene su propia clave, que se renueva cada mes.',
      'La próxima reunión del equipo será en otoño.',
    ],
    asked: [
      ['¿Cómo restaurar una copia?', 0],
      ['¿Quién aprueba un reembolso?', 1],
      ['¿Cuándo se renuevan las claves de los clientes?', 2],
      ['¿Cuándo son las proximas reuniones?', 3],
    ],
  },
  {
    language: 'pt',
    texts: [
      'As cópias de segurança são restauradas a partir do segundo centro depois da avaria.',
      'Uma pessoa aprova os reembolsos acima de 250 euros.',
      'Cada cliente tem a sua própria chave, renovada todos os meses.',
      'As transações recusadas ficam guardadas durante um ano.',
    ],
    asked: [
      ['Como restaurar uma cópia?', 0],
      ['Quem aprova um reembolso?', 1],
      ['Quando são renovadas as chaves dos clientes?', 2],
      ['Onde fica a transação recusada?', 3],
    ],
  },
  {
    language: 'ja',
    texts: [
      '障害のあと、バックアップは第二センターから復元された。',
      '二百五十ユーロを超える返金は担当者が承認する。',
      '顧客ごとに別の鍵があり、毎月更新される。',
      '会議は秋に東京で開かれる。',
    ],
    asked: [
      ['バックアップを復元するには', 0],
      ['返金を承認するのは誰ですか', 1],
      ['顧客の鍵はいつ更新しますか', 2],
      ['東京の会議はいつですか', 3],
    ],
  },
  {
    language: 'zh',
    texts: [
      '故障之后，备份从第二数据中心恢复。',
      '超过二百五十欧元的退款需要人工批准。',
      '每个客户都有自己的密钥，每月更换。',
      '秋天的会议在上海举行。',
    ],
    asked: [
      ['怎么恢复备份？', 0],
      ['谁批准退款？', 1],
      ['客户的密钥多久更换一次？', 2],
      ['上海会议是什么时候？', 3],
    ],
  },
  {
    language: 'ko',
    texts: [
      '장애가 난 뒤 백업은 두 번째 센터에서 복원되었다.',
      '250유로가 넘는 환불은 담당자가 승인한다.',
      '고객마다 열쇠가 따로 있고 매달 교체된다.',
      '가을 회의는 부산에서 열린다.',
    ],
    asked: [
      ['백업을 어떻게 복원하나요?', 0],
      ['환불을 승인하는 사람은 누구인가요?', 1],
      ['고객의 열쇠를 언제 교체하나요?', 2],
      ['부산 회의는 언제인가요?', 3],
    ],
  },
  {
    language: 'th',
    texts: [
      'หลังระบบล่ม ข้อมูลสำรองถูกกู้คืนจากศูนย์ที่สอง',
      'การคืนเงินเกินสองร้อยห้าสิบยูโรต้องมีคนอนุมัติ',
      'ลูกค้าแต่ละรายมีกุญแจของตัวเองและเปลี่ยนทุกเดือน',
      'การประชุมฤดูใบไม้ร่วงจัดที่เชียงใหม่',
    ],
    asked: [
      ['กู้คืนข้อมูลสำรองอย่างไร', 0],
      ['ใครอนุมัติการคืนเงิน', 1],
      ['เปลี่ยนกุญแจของลูกค้าเมื่อไร', 2],
      ['ประชุมที่เชียงใหม่เมื่อไร', 3],
    ],
  },
  {
    language: 'ar',
    texts: [
      'بعد العطل استُعيدت النسخ الاحتياطية من المركز الثاني.',
      'يوافق موظف على المبالغ المستردة التي تتجاوز ٢٥٠ يورو.',
      'لكل عميل مفتاح خاص به يتغير كل شهر.',
      'يُعقد اجتماع الخريف في القاهرة.',
    ],
    asked: [
      ['نسخة احتياطية من مركز', 0],
      ['من الموظف الذي يوافق على مبلغ مسترد؟', 1],
      ['متى تتغير مفاتيح العملاء؟ هل يتغير المفتاح؟', 2],
      ['متى الاجتماع في القاهره؟', 3],
    ],
  },
  {
    language: 'ru',
    texts: [
      'После сбоя резервные копии восстановили из второго центра.',
      'Возвраты свыше 250 евро одобряет сотрудник.',
      'У каждого клиента есть свой ключ, ключи меняются ежемесячно.',
      'Осенняя встреча пройдёт в Казани.',
    ],
    asked: [
      ['Как восстановить резервную копию?', 0],
      ['Кто одобряет возврат?', 1],
      ['Как часто менять ключ клиентам?', 2],
      ['Когда осенние встречи пройдет в Казань?', 3],
    ],
  },
  {
    language: 'hi',
    texts: [
      'खराबी के बाद बैकअप दूसरे केंद्र से बहाल किए गए।',
      '250 यूरो से ऊपर की वापसी को एक व्यक्ति मंज़ूरी देता है।',
      'हर ग्राहक की अपनी चाबी है जो हर महीने बदलती है।',
      'शरद की बैठकें जयपुर में होती हैं।',
    ],
    asked: [
      ['बैकअप किस केंद्र से बहाल होता है?', 0],
      ['वापसी को मंज़ूरी कौन देता है?', 1],
      ['ग्राहकों की चाबियाँ कब बदलती हैं?', 2],
      ['जयपुर की बैठक कब है?', 3],
    ],
  },
];

/** A lexical candidate set of texts, as a store counts it. */
function candidatesOf(texts: readonly string[], terms: readonly string[]): LexicalCandidates {
  const bodies = texts.map((text) => analyse(text));
  const only = (body: number): FieldValues => [0, 0, body, 0];
  const count = (body: readonly string[], term: string) => body.filter((own) => own === term).length;
  return {
    documents: texts.length,
    averageLengths: only(bodies.reduce((sum, { length }) => sum + length, 0) / texts.length),
    documentFrequencies: terms.map((term) => bodies.filter((body) => body.includes(term)).length),
    hits: bodies.map((body, place) => ({
      ref: ['chunk', rowId(`text-${place}`), 1],
      frequencies: terms.map((term) => only(count(body, term))),
      lengths: only(body.length),
      group: null,
    })),
  };
}

/** The place of the best text, or -1 when none has a word of the question or two are equally good. */
function bestOf(texts: readonly string[], question: string): number {
  const scores = scoreLexical(candidatesOf(texts, questionTerms(question)));
  const best = Math.max(...scores);
  return best > 0 && scores.filter((score) => score === best).length === 1 ? scores.indexOf(best) : -1;
}

describe.for(samples)('lexical search in $language [Q2]', ({ language, texts, asked }) => {
  it.for(asked)('finds the text that %s asks for', ([question, place]) => {
    expect(bestOf(texts, question)).toBe(place);
  });

  it('tells the language of each text', () => {
    for (const text of texts) {
      const told = [...languagesByScript(text), ...languagesByWords(analysed(text))];
      expect([text, told[0]]).toEqual([text, language]);
    }
  });
});

const analysed = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .match(/\p{L}+/gu) ?? [];

describe('identifiers in other languages [Q2]', () => {
  it.for([
    ['Was bedeutet der Fehler ORA-27102?', 'ora-27102'],
    ['خطأ ORA-27102 في قاعدة البيانات', 'ora-27102'],
    ['Ошибка ORA-27102 в базе', 'ora-27102'],
    ['データベースの ORA-27102 エラー', 'ora-27102'],
    ['वर्ज़न v2.1.3 में recall_limit', 'recall_limit'],
    ['Où est /etc/memory/app.conf ?', 'etc/memory/app.conf'],
  ] as const)('stay whole in %s', ([text, identifier]) => {
    expect(analyse(text)).toContain(identifier);
  });
});

describe('light stemmers [Q2]', () => {
  it.for([
    ['de', ['sicherung', 'sicherungen'], ['kunde', 'kunden', 'kunden']],
    ['fr', ['sauvegarde', 'sauvegardes'], ['restaurer', 'restauree', 'restaurees']],
    ['es', ['reunion', 'reuniones'], ['cliente', 'clientes']],
    ['pt', ['transacao', 'transacoes'], ['renovado', 'renovadas']],
  ] as const)('join the forms of words in %s', ([language, ...groups]) => {
    for (const forms of groups) {
      expect(new Set(forms.map((form) => stemByLanguage(form, language))).size).toBe(1);
    }
  });

  it('join forms by script, and leave other scripts to others', () => {
    expect(new Set(['копия', 'копии', 'копию', 'копиями'].map(stemByScript)).size).toBe(1);
    expect(new Set(['ग्राहक', 'ग्राहकों'].map(stemByScript)).size).toBe(1);
    expect(stemByScript('memory')).toBeNull();
    expect(stemByLanguage('memory', 'it')).toBeNull();
  });

  it('keep a word of another language as it is written beside its stem', () => {
    expect(analyse('Die Sicherungen werden wiederhergestellt.')).toEqual(
      expect.arrayContaining([...analyse('Sicherungen')]),
    );
  });

  it('never leave less than two code units of a longer word', () => {
    for (const word of ['en', 'es', 'ung', 'ation', 'ями', 'ый', 'ات', 'ों']) {
      expect((stemByScript(word) ?? stemByLanguage(word, 'de') ?? word).length).toBeGreaterThanOrEqual(
        Math.min(2, word.length),
      );
    }
  });
});
